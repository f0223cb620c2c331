"""Every kernel of tests/kernels under check: right programs give no findings."""

import pathlib
import sys

import kasoku as ks
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "kernels"))
import cases_basic  # noqa: E402, F401
import cases_dialect  # noqa: E402, F401
import cases_language  # noqa: E402, F401
import cases_programs  # noqa: E402, F401
import cases_rounded  # noqa: E402, F401
import cases_spaces  # noqa: E402, F401
import cases_warp  # noqa: E402, F401
import cases_whole  # noqa: E402, F401
import corpus  # noqa: E402

# Races on purpose: a warp without barriers, blocks or threads that store one value twice, a
# plain read between atomics, and threads that look at volatile memory until another has written.
deliberate = {
    "reduce_volatile-reduce_volatile": "s",
    "reduce_volatile-marked_counts": "seen",
    "device_global-device_global": "table",
    "bfs_rodinia-bfs": "cost",
    "atomics_combined-atomics_seen": "c",
    "wait_for_others-chain": "sums",
    "wait_for_others-tree": "sum",
}

# Blocks that cannot run one after another.
refused = {
    "wait_for_others-warps": "waits for what a later one writes",
}


@pytest.mark.parametrize("case", corpus.CASES, ids=lambda case: case.id)
def test_kernel_is_clean(case):
    if getattr(case, "only_on", ()) and "cpu" not in case.only_on:
        pytest.skip(f"{case.file} is for {' and '.join(case.only_on)}")
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
        kernel, shape = module.get_function(case.kernel), {"block": launch.block, "grid": launch.grid}
        if why := refused.get(case.file, refused.get(case.id)):
            with pytest.raises(ks.Error, match=why):
                ks.check(kernel, *args, **shape)
            return
        found = ks.check(kernel, *args, **shape, shared=launch.shared)
    if case.id in deliberate:
        assert {f.kind for f in found} == {"race"} and deliberate[case.id] in {f.array for f in found}
    else:
        assert not found, found
