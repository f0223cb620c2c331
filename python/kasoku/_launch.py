"""`kasoku run --processes N` and `--gpus N`: the program as N processes that find each other (kasoku.distributed)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

_patience = 5.0  # seconds between asking a process to end and ending it


def launch(arguments, processes, on_gpus):
    """Starts `kasoku run` with these arguments once for each rank; the exit status is the first failure's.

    When one of them fails the others are ended: they may wait for it.
    """
    if on_gpus:
        _need_gpus(processes)
    started = []
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # by way of `finally`
    try:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        for rank in range(processes):
            command = [sys.executable, "-m", "kasoku", "run", *arguments]
            started.append(subprocess.Popen(command, env=_environment(rank, processes, port, on_gpus)))
        return _wait(started)
    except KeyboardInterrupt:  # the processes say where they were
        return 128 + signal.SIGINT
    finally:
        _end(started)
        signal.signal(signal.SIGTERM, before)


def _need_gpus(count):
    import kasoku as ks

    there = sum(device.kind == "cuda" for device in ks.devices())
    if there < count:
        have = f"has {there} GPU{'s' * (there != 1)}" if there else "has no GPU"
        instead = f"--gpus {there}" if there else f"--processes {count}"
        raise SystemExit(f"kasoku run: --gpus {count}, and this machine {have}\n  fix  {instead}")


def _environment(rank, size, port, on_gpus):
    told = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": size, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    if on_gpus:
        told["KASOKU_DEVICE"] = f"cuda:{rank}"
    if "KASOKU_NUM_THREADS" not in os.environ:
        told["KASOKU_NUM_THREADS"] = max(1, len(os.sched_getaffinity(0)) // size)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI_", "SLURM_", "TORCHELASTIC_"))}  # fmt: skip
    return {**kept, **{name: str(value) for name, value in told.items()}}


def _wait(started):
    """Until all have ended well, or one has not."""
    waiting = list(started)
    while waiting:
        for process in waiting:
            status = process.poll()
            if status:
                return 128 - status if status < 0 else status
        waiting = [process for process in waiting if process.returncode is None]
        if waiting:
            try:
                waiting[0].wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                pass
    return 0


def _end(started):
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _patience
    for process in started:
        try:
            process.wait(timeout=max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
