"""Array operations that the library brings along for GPUs: the first small expressions of a machine take no compiler.

On a driver in host memory (tests/device/two_gpus.c), whose kernels do nothing, and on a GPU.
"""

import os
import pathlib
import subprocess
import sys

import kasoku as ks
import pytest
from kasoku import _core

pack = pathlib.Path(_core._compiler_library()).parent / "operations-cuda.pack"
needs_pack = pytest.mark.skipif(not pack.exists(), reason="this library has none: make gpu-pack")
without_gpu = pytest.mark.skipif(ks.has_device("cuda"), reason="where there is a GPU its own NVRTC would be found")

first_expressions = """
import kasoku as ks
with ks.default_device("cuda"):
    x = ks.linspace(1, 2, 10, dtype="float32")
    y = x + 1
    for f in ks.sin, ks.exp, ks.sqrt, ks.log, ks.cos, ks.tan:
        for g in ks.add, ks.subtract, ks.multiply, ks.maximum:
            float((g(f(x), f(y)) * 2 + x)[0])
    ks.random.random(5).numpy(), ks.random.standard_normal(5).numpy(), ks.zeros(5).numpy()
    # No group twice: its kernel would be compiled beside.
    for z in (ks.array([1.0, 2, 3]), ks.array([[1, 2], [3, 4]]), ks.ones((4, 5), "float32").eval()):
        float(z.sum()), float(z.max()), (z / 3 - 1).numpy(), z.astype("float32").numpy(), (2 * z > z).numpy()
        z.sum(axis=0).numpy(), z.mean(axis=-1).numpy(), ks.where(z > 1, z, 0).numpy()
        ks.sort(z).numpy(), z[z > 1].numpy(), z.cumsum().numpy()
maps = open("/proc/self/maps").read()
print(ks.stats().compiles, "libnvrtc" in maps, "kasoku_clang" in maps, ks.stats().groups_by_operations > 0)
"""


def run(env, folder, text=first_expressions):
    env = {**env, "KASOKU_CACHE_DIR": str(folder), "KASOKU_CACHE": "1"}
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env, timeout=300)
    return ran.stdout.split(), ran.stderr


@needs_pack
@without_gpu
@pytest.mark.parametrize("capability", [80, 86, 89, 90, 100, 103, 120, 75, 199])
def test_the_first_expressions_take_no_compiler(capability, two_gpus_that_launch, tmp_path):
    said, errors = run({**two_gpus_that_launch, "TWO_GPUS_CAPABILITY": str(capability)}, tmp_path)
    assert said == ["0", "False", "False", "True"], errors


one_expression = """
import kasoku as ks
x = ks.zeros(4).eval()
(x + 1).numpy()
print(ks.stats().compiles)
"""


@needs_pack
@without_gpu
def test_code_that_the_driver_does_not_take_is_compiled(two_gpus_that_launch, tmp_path):
    env = {**two_gpus_that_launch, "TWO_GPUS_KERNELS": "1", "KASOKU_TRACE": "cache"}
    said, errors = run(env, tmp_path, one_expression)
    assert said == ["1"] and "array.cu, brought along, is not taken" in errors, errors


@without_gpu
def test_what_the_pack_has_not_is_compiled(two_gpus_that_launch, tmp_path):
    said, errors = run({**two_gpus_that_launch, "TWO_GPUS_CAPABILITY": "70"}, tmp_path, one_expression)
    assert said == ["1"], errors


@without_gpu
def test_a_cache_that_is_turned_off_has_no_pack_either(two_gpus_that_launch, tmp_path):
    said, errors = run(two_gpus_that_launch, tmp_path, "import os; os.environ['KASOKU_CACHE'] = '0'" + one_expression)
    assert said == ["1"], errors


@needs_pack
@pytest.mark.cuda
@pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU")
def test_on_a_gpu(tmp_path):
    assert run(dict(os.environ), tmp_path)[0] == ["0", "False", "False", "True"]
