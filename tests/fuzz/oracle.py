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
CHECKS = "-fsanitize=undefined,float-cast-overflow,bounds-strict -fno-sanitize=vptr"
FLAGS = (
    f"-std=c++17 -O0 -w -ffp-contract=off -fno-strict-aliasing -fno-exceptions -fno-asynchronous-unwind-tables {CHECKS}"
)


# What fibers.h has instead, because C says nothing of numbers that the type does not hold.
CONVERSION = "template <class T, class F> __device__ T to(F x) { return (T)x; }"


class Defect(Exception):
    """The kernel has no answer: it is undefined, or its threads race or wait for ever."""


def translated(text, number):
    """A kernel's text as part of a batch: a namespace, a name of its own for its entry, no `extern __shared__`."""
    name = (
        re.findall(r"__global__[\s\w()]*?\b(\w+)\s*\(", re.sub(r"__launch_bounds__\s*\([^)]*\)", "", text)) or ["k"]
    )[-1]
    text = re.sub(r"^\s*#\s*include.*$", "", text.replace(CONVERSION, ""), flags=re.M)
    text = re.sub(r'extern\s+"C"\s+__global__', "__global__", text)
    text = re.sub(
        r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w ]+?)\s+(\w+)\[\];",
        r"\1* \2 = (\1*)fibers::dynamic_shared;",
        text,
    )
    macros = "".join(f"#undef {m}\n" for m in re.findall(r"^\s*#\s*define\s+(\w+)", text, flags=re.M))
    return (
        f'namespace kernel{number} {{\n#line 1 "kernel{number}"\n{text}\n}}\n{macros}',
        f"fibers::entry(kernel{number}::{name}, {str('return;' in text).lower()})",
    )


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
    """What g++ says, or None if it made `batch`."""
    texts, entries = zip(*(translated(kernel.text, i) for i, kernel in enumerate(kernels)))
    source = f'#include "{FOLDER}/fibers.h"\n' + "".join(texts)
    source += f"extern const int fiber_kernels = {len(kernels)};\n"
    source += f"extern const fibers::Entry fiber_entries[] = {{{', '.join(entries)}}};\n"
    (folder / "batch.cpp").write_text(source)
    command = f"g++ {FLAGS} {flags} batch.cpp {runtime()} -o batch".split()
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return compiled.stderr if compiled.returncode else None


def runs(kernels, flags, seconds):
    """For each kernel (status, message, bytes of its buffers) of each order of threads, or a Defect."""
    if not kernels:
        return []
    if not all(is_whole(kernel.text) for kernel in kernels):
        others = iter(runs([kernel for kernel in kernels if is_whole(kernel.text)], flags, seconds))
        return [next(others) if is_whole(kernel.text) else Defect("g++ refuses it: braces") for kernel in kernels]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = pathlib.Path(name)
        if message := compile_batch(kernels, folder, flags):
            return runs_without_refused(kernels, flags, seconds, message)
        (folder / "input").write_bytes(b"".join(map(input_of, kernels)))
        subprocess.run(["./batch", "input", "output", str(seconds)], cwd=folder, check=True)
        output = (folder / "output").read_bytes()
    results, at = [], 0
    for _ in kernels:
        results.append([])
        for _ in ("forward", "reverse"):
            status, length, size = struct.unpack_from("3i", output, at)
            message, data = output[at + 12 : at + 12 + length], output[at + 12 + length :][:size]
            at += 12 + length + size
            results[-1].append((status, message.decode(errors="replace").strip(), data))
    return results


def is_whole(text):
    """Whether a text has an entry and closes what it opens; others would break their neighbours in a batch."""
    depth = 0
    for bracket in re.findall(r"[{}]", text):
        depth += 1 if bracket == "{" else -1
        if depth < 0:
            return False
    return depth == 0 and "__global__" in text


def runs_without_refused(kernels, flags, seconds, message):
    """The others of a batch in which g++ refuses some."""
    refused = {int(n) for n in re.findall(r"^kernel(\d+):\d+:\d+: error", message, flags=re.M)}
    if len(kernels) == 1:
        return [Defect("g++ refuses it: " + message[:2000])]
    if not refused:  # an open brace, say
        half = len(kernels) // 2
        return runs(kernels[:half], flags, seconds) + runs(kernels[half:], flags, seconds)
    others = iter(runs([k for i, k in enumerate(kernels) if i not in refused], flags, seconds))
    only = len(refused) == 1
    return [
        Defect("g++ refuses it" + f": {message[:2000]}" * only) if i in refused else next(others)
        for i in range(len(kernels))
    ]


SIGNALS = {4: "undefined behaviour", 6: "undefined behaviour", 8: "division by zero", 11: "a bad address", 26: "no end"}


def expected(kernels, explain=True, seconds=20):
    """For each kernel the arrays that it leaves in its buffers, or a Defect."""
    results = runs(kernels, "-fsanitize-undefined-trap-on-error", seconds)
    return [judged(kernel, result, explain) for kernel, result in zip(kernels, results)]


def judged(kernel, result, explain):
    if isinstance(result, Defect):
        return result
    for status, message, _ in result:
        if status & 127 == 4 and explain:  # once more, with words
            return judged(kernel, runs([kernel], "-fno-sanitize-recover", 20)[0], False)
        if status:
            return Defect(": ".join(filter(None, [SIGNALS.get(status & 127, ""), message])) or f"status {status}")
    forward, reverse = (kernel.compared(buffers(kernel, data)) for _, _, data in result)
    if not all(map(np.array_equal, forward, reverse)):
        return Defect("two orders of threads give two answers")
    return forward


def buffers(kernel, data):
    arrays, at = [], 0
    for value in kernel.arguments():
        if isinstance(value, np.ndarray):
            arrays.append(np.frombuffer(data, value.dtype, value.size, at))
            at += value.nbytes
    return arrays
