"""The corpus: every .cu file of this folder, how it is launched and what must come out.

A case names a file and a kernel, its launch shape and its arguments; what an argument must hold
afterwards is computed by plain NumPy or a serial Python loop. The same cases run on every device.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field

import numpy as np

FOLDER = pathlib.Path(__file__).parent
CASES: list["Case"] = []


@dataclass
class Out:
    """An array argument; `expect` is its content after the launch, `initial` before (default zeros).

    `expect` may be a function of the array that came out, which raises if it is wrong.
    """

    expect: object
    initial: np.ndarray | None = None
    rtol: float = 0.0
    atol: float = 0.0


@dataclass
class Launch:
    args: list
    block: tuple = (256, 1, 1)
    grid: tuple = (1, 1, 1)
    shared: int = 0
    globals_in: dict = field(default_factory=dict)  # name -> array copied in before the launch
    globals_out: dict = field(default_factory=dict)  # name -> expected content after it
    prints: list | None = None  # lines that the kernel prints, in any order


@dataclass
class Case:
    file: str
    kernel: str
    make: object
    options: tuple = ()
    name_expressions: tuple = ()
    only_on: tuple = ("cpu", "cuda")  # kinds of devices whose compiler takes the text

    @property
    def id(self):
        return f"{self.file.removesuffix('.cu')}-{self.make.__name__}"

    def text(self):
        return (FOLDER / self.file).read_text()


def case(file, kernel, **extra):
    """Registers `make(rng) -> Launch` as a case of `file`."""

    def register(make):
        CASES.append(Case(file, kernel, make, **extra))
        return make

    return register


def blocks(n, block):
    return ((n + block - 1) // block, 1, 1)


def run(case, device, ks):
    """Launches the case on `device` and compares; an AssertionError names the argument."""
    with ks.default_device(device):
        return run_here(case, device, ks)


def run_here(case, device, ks):
    launch = case.make(np.random.default_rng(20260101))
    module = ks.RawModule(code=case.text(), options=case.options, name_expressions=case.name_expressions)
    function = module.get_function(case.kernel)
    args, outputs = [], []
    for position, argument in enumerate(launch.args):
        if isinstance(argument, Out):
            initial = argument.initial
            if initial is None:
                initial = np.zeros_like(argument.expect)
            array = ks.array(initial, device=device)
            outputs.append((position, argument, array))
            args.append(array)
        elif isinstance(argument, np.ndarray) and argument.ndim:
            args.append(ks.array(argument, device=device))
        else:
            args.append(argument)
    for name, value in launch.globals_in.items():
        module.get_global(name, dtype=value.dtype)[:] = ks.array(value.ravel())
    function(launch.grid, launch.block, tuple(args), shared_mem=launch.shared)
    ks.synchronize()
    for position, argument, array in outputs:
        compare(f"argument {position}", array.numpy(), argument.expect, argument.rtol, argument.atol)
    for name, value in launch.globals_out.items():
        got = module.get_global(name, dtype=value.dtype).numpy().reshape(value.shape)
        compare(f"global {name}", got, value, 0, 0)
    return launch


def compare(what, got, want, rtol, atol):
    if callable(want):
        want(got)
        return
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, not {want.dtype}"
    if rtol or atol:
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=what)
    else:
        np.testing.assert_array_equal(got, want, err_msg=what)
