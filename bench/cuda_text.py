"""One CUDA text under kasoku and under CuPy's RawModule, for the folders that have a
_kernels.cu, a _launches.py and a _sizes.py."""

import glob
import importlib
import os
import sys

import numpy as np
from timing import best, cupy_with_gpu, report, warm_rounds

in_a_row = 20  # launches that a GPU gets before it is waited for: kernels are compared, not the waiting


def measure(launches, get_function, to_device, to_host, synchronize, on_gpu=False):
    """figure -> rate. `launches` is a module: `table`, figure -> (kernel, grid, block, args,
    output), where NumPy arrays among the arguments go to the device once, and a dtype stands
    for one zero that each launch gets anew; output is the number of the result in args."""
    there, result = {}, {}

    def placed(value):
        if not isinstance(value, np.ndarray):
            return to_device(np.zeros(1, value)) if isinstance(value, type) else value
        if id(value) not in there:
            there[id(value)] = to_device(value)
        return there[id(value)]

    for figure, (name, grid, block, args, output) in launches.table.items():
        kernel = get_function(name)

        def run(train, kernel=kernel, grid=grid, block=block):
            for prepared in train:
                kernel(grid, block, prepared)
            synchronize()

        def trains(rounds, length, args=args):
            return [[tuple(map(placed, args)) for _ in range(length)] for _ in range(rounds)]

        [[first]] = trains(1, 1)
        run([first])
        launches.check(figure, to_host(first[output]))
        length, rounds = (in_a_row, 29) if on_gpu else (1, warm_rounds)  # a GPU raises its clock with work
        ready = trains(rounds, length)
        seconds = best(lambda: run(ready.pop()), rounds)  # noqa: B023
        result[figure + (", cuda" if on_gpu else "")] = launches.work[figure] * length / seconds
    return result


def of(file):
    """The folder's launches and the text of its kernels."""
    folder = os.path.dirname(os.path.abspath(file))
    sys.path.append(folder)
    with open(os.path.join(folder, "_kernels.cu")) as text:
        return importlib.import_module("_launches"), text.read()


def with_kasoku(file):
    import kasoku as ks

    launches, text = of(file)
    result = {}
    for device in ["cpu"] + ["cuda"] * ks.has_device("cuda"):
        with ks.default_device(device):
            module = ks.RawModule(code=text)
            for name, values in launches.constants.items():
                module.get_global(name, values.dtype)[:] = values
            result |= measure(
                launches, module.get_function, ks.array, lambda v: v.numpy(), ks.synchronize, device == "cuda"
            )
    report(result)


def with_cupy(file):
    cupy = cupy_with_gpu()
    launches, text = of(file)
    # CuPy brings CUB's headers and leaves their folder to the user.
    found = glob.glob(os.path.join(os.path.dirname(cupy.__file__), "**", "cub", "cub.cuh"), recursive=True)
    found += glob.glob(os.path.join(os.path.dirname(cupy.__file__), "**", "cuda", "std", "type_traits"), recursive=True)
    folders = {os.path.dirname(os.path.dirname(path)).removesuffix("/cuda") for path in found}
    module = cupy.RawModule(code=text, options=("-std=c++17", *(f"-I{folder}" for folder in sorted(folders))))
    for name, values in launches.constants.items():
        cupy.ndarray(values.shape, values.dtype, module.get_global(name))[:] = cupy.asarray(values)
    synchronize = cupy.cuda.runtime.deviceSynchronize
    report(measure(launches, module.get_function, cupy.asarray, cupy.asnumpy, synchronize, on_gpu=True))
