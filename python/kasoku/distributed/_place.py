"""The place of this process among those that were started together, and how it reaches the others."""

from __future__ import annotations

import os

import kasoku as ks

from .. import errors
from ._group import Group

# Who starts processes, and how each is told its place: rank, size, rank on its host.
starters = {
    "torchrun": ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "MPICH": ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    "Slurm": ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
}
of_mpi = ("Open MPI", "MPICH")


def _number(name, least):
    text = os.environ.get(name, "")
    if not text.isdecimal() or int(text) < least:
        raise errors.ValueError(
            f"distributed.init: the environment says {name}={text!r}, which is no number from {least}"
        )
    return int(text)


def told():
    """(starter, rank, size, local rank); a process that nobody started with others is alone."""
    for starter, (rank, size, local) in starters.items():
        if rank in os.environ and size in os.environ:
            number, count = _number(rank, 0), _number(size, 1)
            if number >= count:
                raise errors.ValueError(
                    f"distributed.init: the environment says {rank}={number} of {size}={count}; ranks go from 0 to {count - 1}"
                )
            return starter, number, count, _number(local, 0) if local in os.environ else number
    return "nobody", 0, 1, 0


def join(backend, timeout):
    """The group of this process."""
    if backend not in (None, *carriers):
        raise errors.ValueError(
            f"distributed.init: there is no backend {backend!r}\n  fix  one of {', '.join(carriers)}"
        )
    starter, rank, size, local = told()
    _take_gpu(local)
    if size == 1:
        return Group("alone", None, rank, size, local)
    name = backend or _choose(starter)
    return Group(name, carriers[name](rank, size, timeout), rank, size, local)


def _take_gpu(local):
    device = ks.default_device()
    if device.kind != "cuda":
        return
    count = sum(each.kind == "cuda" for each in ks.devices())
    if local >= count:
        raise errors.DeviceError(
            f"distributed.init: local rank {local} wants a GPU of its own, and this machine has {count}\n"
            f"  fix  start {count} here, or KASOKU_DEVICE=cpu"
        )
    if os.environ.get("KASOKU_DEVICE", "cuda") == "cuda":  # no certain one was asked for
        ks.default_device(f"cuda:{local}")


def _choose(starter):
    if starter not in of_mpi:
        return "sockets"
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        if "MASTER_ADDR" in os.environ:
            return "sockets"
        raise errors.UnsupportedError(
            f"distributed.init: {starter} started this process, and mpi4py is not installed\n"
            "  fix  pip install mpi4py, or kasoku run --processes N"
        ) from None
    return "mpi"


def _sockets(rank, size, timeout):
    from ._sockets import Sockets

    missing = [name for name in ("MASTER_ADDR", "MASTER_PORT") if not os.environ.get(name)]
    if missing:
        raise errors.ValueError(
            f"distributed.init: rank {rank} does not know where to meet the others: {' and '.join(missing)} not set\n"
            "  fix  kasoku run --processes N, torchrun, or set them to a host and a free port of rank 0"
        )
    port = _number("MASTER_PORT", 1)
    if os.environ.get("TORCHELASTIC_RUN_ID"):
        port += 1  # torchrun itself listens at that one
    return Sockets(rank, size, os.environ["MASTER_ADDR"], port, timeout)


def _mpi(rank, size, timeout):
    from ._mpi import Mpi

    return Mpi(timeout)


carriers = {"sockets": _sockets, "mpi": _mpi}
