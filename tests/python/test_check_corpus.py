"""Every kernel of tests/kernels under check: right programs give no findings."""

import pathlib
import sys

import kasoku as ks
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kernels"))
import cases_basic  # noqa: E402, F401
import cases_language  # noqa: E402, F401
import cases_programs  # noqa: E402, F401
import cases_warp  # noqa: E402, F401
import corpus  # noqa: E402

# Races on purpose: a warp without barriers, and blocks or threads that store one value twice.
deliberate = {"reduce_volatile.cu": "s", "device_global.cu": "table", "bfs_rodinia.cu": "cost"}


@pytest.mark.parametrize("case", corpus.CASES, ids=lambda case: case.id)
def test_kernel_is_clean(case):
    launch = case.make(np.random.default_rng(20260101))
    module = ks.RawModule(code=case.text(), options=case.options, name_expressions=case.name_expressions)
    args = []
    with ks.default_device("cpu"):
        for argument in launch.args:
            if isinstance(argument, corpus.Out):
                argument = argument.initial if argument.initial is not None else np.zeros_like(argument.expect)
            args.append(ks.array(argument) if isinstance(argument, np.ndarray) and argument.ndim else argument)
        for name, value in launch.globals_in.items():
            module.get_global(name, dtype=value.dtype)[:] = ks.array(value.ravel())
        found = ks.check(
            module.get_function(case.kernel), *args, block=launch.block, grid=launch.grid, shared=launch.shared
        )
    if case.file in deliberate:
        assert {f.kind for f in found} == {"race"} and deliberate[case.file] in {f.array for f in found}
    else:
        assert not found, found
