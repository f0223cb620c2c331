#!/usr/bin/env python3
"""Installs the wheel of a folder into an empty environment and runs a kernel, the README and the guides from it, on a
PATH without compilers. Fails if the wheel is larger than it may be, lacks a file, or is tagged for this machine alone."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from guide_programs import guides, program_of, root

largest = 48_000_000
program = """
import pycuda.autoinit, pycuda.gpuarray as gpuarray, numpy, kasoku
from pycuda.elementwise import ElementwiseKernel
f = ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
x, y = gpuarray.to_gpu(numpy.arange(10, dtype=numpy.int32)), gpuarray.zeros(10, dtype=numpy.int32)
f(x, y)
assert (y.get() == numpy.arange(1, 11)).all()
import cupy.testing
cupy.testing.assert_array_equal(cupy.arange(3), numpy.arange(3))
assert not hasattr(cupy.testing, "for_orders")  # of kasoku_testing
print(kasoku.__file__, y.get())
"""

# What a guide shows beside kasoku; the README is tried before without them.
packages_of_guides = ["distributed", "joblib"]


def main(folder):
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1e6:.1f} MB (at most {largest / 1e6:.0f})")
    for entry in sorted(zipfile.ZipFile(wheel).infolist(), key=lambda e: -e.compress_size)[:4]:
        print(f"  {entry.compress_size / 1e6:6.1f} MB  {entry.filename}")
    names = zipfile.ZipFile(wheel).namelist()
    inside = [
        "LICENSE",
        "NOTICE",
        "licenses/LLVM.txt",
        "libkasoku.so",
        "libkasoku_clang.so",
        "libhwy_contrib.so.1",
        "libhwy.so.1",
        "_core.abi3.so",
        "operations-x86-64-v3.pack",
        "operations-x86-64-v4.pack",
        "py.typed",
        "_core.pyi",
        "__init__.pyi",
        "fft.pyi",
        "linalg.pyi",
        "random.pyi",
    ] + ["operations-cuda.pack"] * options.gpu_pack
    missing = [name for name in inside if not any(path.endswith("/" + name) for path in names)]
    if missing:
        sys.exit(f"the wheel has no {', '.join(missing)}")
    if "manylinux" not in wheel.name:
        sys.exit(f"{wheel.name} has no manylinux tag: no registry takes it")
    with tempfile.TemporaryDirectory() as temporary:
        home = pathlib.Path(temporary)
        subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True)
        run = {"check": True, "cwd": home}
        pip = [home / "venv/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, wheel.resolve()], **run)
        (home / "program.py").write_text(program)
        environment = {"PATH": str(home / "venv/bin"), "HOME": str(home), "LANG": "C.UTF-8"}
        kasoku = home / "venv/bin/kasoku"
        subprocess.run([kasoku, "run", "program.py"], env=environment, **run)
        subprocess.run([kasoku, "doctor"], env=environment, **run)
        subprocess.run([*pip, *packages_of_guides], **run)
        for guide in guides:
            (home / "guide.py").write_text(program_of(guide))
            print("guide", guide.relative_to(root), flush=True)
            subprocess.run([kasoku, "run", "guide.py"], env=environment, stdout=subprocess.DEVNULL, **run)
        for program_of_users in options.program:
            subprocess.run([kasoku, "run", program_of_users.resolve()], env=environment, **run)
    if size > largest:
        sys.exit(f"the wheel is larger than {largest} bytes")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", help="where the wheel is")
parser.add_argument("--gpu-pack", action="store_true", help="it is to have the pack for GPUs")
parser.add_argument("program", nargs="*", type=pathlib.Path, help="more programs to run from it")
options = parser.parse_args()
main(options.folder)
