"""What a kernel must compute: its text compiled by g++ with every check of UndefinedBehaviorSanitizer, each thread a fiber."""

import hashlib
import os
import pathlib
import re
import struct
import subprocess
import tempfile

import numpy as np

FOLDER = pathlib.Path(__file__).parent
CHECKS = "-fsanitize=undefined,float-cast-overflow,float-divide-by-zero,bounds-strict -fno-sanitize=vptr"
FLAGS = (
    f"-std=c++17 -O0 -w -ffp-contract=off -fno-strict-aliasing -fno-exceptions -fno-asynchronous-unwind-tables {CHECKS}"
)


class Defect(Exception):
    """The kernel has no answer: it is undefined, or its threads race or wait for ever."""


def translated(text, number):
    """A kernel's text as part of a batch: a namespace, a name of its own for its entry, no `extern __shared__`."""
    names = re.findall(r"__global__[\s\w()]*?\b(\w+)\s*\(", re.sub(r"__launch_bounds__\s*\([^)]*\)", "", text))
    text = re.sub(r"^\s*#\s*include.*$", "", text, flags=re.M)
    text = re.sub(r'extern\s+"C"\s+__global__', "__global__", text)
    text = re.sub(
        r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w ]+?)\s+(\w+)\[\];",
        r"\1* \2 = (\1*)fibers::dynamic_shared;",
        text,
    )
    macros = "".join(f"#undef {m}\n" for m in re.findall(r"^\s*#\s*define\s+(\w+)", text, flags=re.M))
    return f"namespace kernel{number} {{\n{text}\n}}\n{macros}", f"fibers::entry(kernel{number}::{names[-1]})"


def runtime():
    """fibers.cpp as an object, compiled once for its content."""
    content = b"".join((FOLDER / name).read_bytes() for name in ("fibers.h", "fibers.cpp"))
    path = pathlib.Path(tempfile.gettempdir()) / f"fibers-{os.getuid()}-{hashlib.sha256(content).hexdigest()[:16]}.o"
    if not path.exists():
        part = f"{path}.{os.getpid()}.o"
        subprocess.run(f"g++ -std=c++17 -O2 -c {FOLDER}/fibers.cpp -o {part}".split(), check=True)
        os.replace(part, path)
    return path


def input_of(kernel):
    """A launch as fibers.cpp reads it."""
    grid, block = (tuple(shape) + (1, 1) for shape in (kernel.grid, kernel.block))
    arguments = kernel.arguments()
    parts = [struct.pack("8I", *grid[:3], *block[:3], kernel.shared, len(arguments))]
    for value in arguments:
        data = np.asarray(value).tobytes()
        parts += [struct.pack("2I", isinstance(value, np.ndarray), len(data)), data]
    return b"".join(parts)


def compile_batch(kernels, folder, flags):
    texts, entries = zip(*(translated(kernel.text, i) for i, kernel in enumerate(kernels)))
    source = f'#include "{FOLDER}/fibers.h"\n' + "".join(texts)
    source += f"extern const int fiber_kernels = {len(kernels)};\n"
    source += f"extern const fibers::Entry fiber_entries[] = {{{', '.join(entries)}}};\n"
    (folder / "batch.cpp").write_text(source)
    command = f"g++ {FLAGS} {flags} batch.cpp {runtime()} -o batch".split()
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def expected(kernels, explain=False):
    """For each kernel the arrays that it leaves in its buffers, or a Defect."""
    flags = "-fno-sanitize-recover" if explain else "-fsanitize-undefined-trap-on-error"
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = pathlib.Path(name)
        compiled = compile_batch(kernels, folder, flags)
        if compiled.returncode:
            if len(kernels) == 1:
                return [Defect("g++ refuses it: " + compiled.stderr[:2000])]
            return [result for kernel in kernels for result in expected([kernel], explain)]
        (folder / "input").write_bytes(b"".join(map(input_of, kernels)))
        subprocess.run(["./batch", "input", "output"], cwd=folder, check=True)
        output = (folder / "output").read_bytes()
    results, at = [], 0
    for kernel in kernels:
        runs = []
        for _ in ("forward", "reverse"):
            status, length, size = struct.unpack_from("3i", output, at)
            message, data = output[at + 12 : at + 12 + length], output[at + 12 + length :][:size]
            at += 12 + length + size
            runs.append((status, message.decode(errors="replace").strip(), data))
        results.append(judged(kernel, runs, explain))
    return results


SIGNALS = {4: "undefined behaviour", 6: "undefined behaviour", 8: "division by zero", 11: "a bad address", 14: "no end"}


def judged(kernel, runs, explain):
    for status, message, _ in runs:
        if status & 127 in (4, 6) and not explain:
            return expected([kernel], explain=True)[0]  # says what is undefined
        if status:
            return Defect(": ".join(filter(None, [SIGNALS.get(status & 127, ""), message])) or f"status {status}")
    if runs[0][2] != runs[1][2]:
        return Defect("two orders of threads give two answers")
    arrays, at = [], 0
    for value in kernel.arguments():
        if isinstance(value, np.ndarray):
            arrays.append(np.frombuffer(runs[0][2], value.dtype, value.size, at))
            at += value.nbytes
    return arrays
