"""Random kernels on the CPU's targets, kernels that were wrong once, and that a difference is seen."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from fuzz import files, grammars, kernels, oracle, shrink  # noqa: E402
from fuzz.failures import fewest  # noqa: E402
from fuzz.target import difference  # noqa: E402
from fuzz.worker import Worker  # noqa: E402

# A target and words for KASOKU_PASSES: 16 lanes are tested on processors without AVX-512 too.
TARGETS = [("x86-64-v3", ""), ("x86-64-v3", "lanes=16"), ("x86-64-v4", "")]
REDUCED = sorted((FOLDER / "reduced").glob("*.cu"))


def runnable(target):
    if target == "x86-64-v4" and "avx512f" not in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip("the processor has no AVX-512")


@pytest.mark.parametrize("grammar", grammars.GRAMMARS)
@pytest.mark.parametrize("target, passes", TARGETS)
def test_random_kernels_are_right(target, passes, grammar):
    runnable(target)
    command = [sys.executable, FOLDER / "run.py", "--target", target, "--seeds", "0:120", "--jobs", "2"]
    command += ["--grammar", grammar]
    result = subprocess.run(command, env={**os.environ, "KASOKU_PASSES": passes}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{target}: 120 kernels, 0 wrong" in result.stdout


@pytest.fixture(scope="module", params=TARGETS, ids=lambda target: "-".join(filter(None, target)))
def worker(request):
    """A process that runs kernels on a target."""
    target, passes = request.param
    runnable(target)
    worker = Worker(target, 60, passes)
    yield worker.one
    worker.stop()


@pytest.fixture(scope="module")
def expected_of_reduced():
    """What fibers say of all kernels that were wrong once."""
    loaded = [files.load(path) for path in REDUCED]
    answers = oracle.expected([kernel for kernel, _ in loaded])
    return {path: (*pair, answer) for path, pair, answer in zip(REDUCED, loaded, answers)}


@pytest.mark.parametrize("path", REDUCED, ids=lambda path: path.stem)
def test_kernel_that_was_wrong_is_right(path, worker, expected_of_reduced):
    kernel, crc, expected = expected_of_reduced[path]
    assert files.crc(expected) == crc
    assert worker(kernel, expected) is None


def test_a_wrong_answer_is_seen(worker):
    """Fibers that shuffle the wrong way, or vote wrongly, differ from the target."""
    seen = 0
    for wrong, right in (("__shfl_up_sync", "__shfl_down_sync"), ("__any_sync", "__all_sync"), ("min(", "max(")):
        some = [k for seed in range(200) if right in (k := kernels.kernel(seed)).text][:8]
        others = [kernels.dataclasses.replace(k, text=k.text.replace(right, wrong)) for k in some]
        for kernel, expected in zip(some, oracle.expected(others)):
            if not isinstance(expected, oracle.Defect):
                kind, message = worker(kernel, expected) or ("right", "")
                assert kind in ("right", "wrong")
                seen += kind == "wrong"
    assert seen >= 6


def test_a_seed_is_one_kernel():
    assert kernels.kernel(17) == kernels.kernel(17)
    assert kernels.kernel(17).text != kernels.kernel(18).text


def test_a_file_holds_a_kernel(tmp_path):
    kernel = kernels.kernel(17)
    expected = oracle.expected([kernel])[0]
    files.save(tmp_path / "k.cu", kernel, expected, "x86-64-v3: wrong: a remark")
    assert files.load(tmp_path / "k.cu") == (kernel, files.crc(expected))


def one(body, threads=64, before=""):
    text = f'{before}extern "C" __global__ void k(unsigned* out, const unsigned* in) {{\n  unsigned t = threadIdx.x;\n{body}\n}}\n'
    return kernels.Kernel(0, text, (1,), (threads,), 0, [("zeros", "u4", threads), ("data", "u4", threads, 1)])


DEFECTS = {
    "out[0] = t;": "two orders of threads give two answers",
    "__shared__ unsigned s[64]; s[t] = t; out[t] = s[63 - t];": "two orders of threads give two answers",
    "__shared__ unsigned s[64]; if (t) s[t] = t; __syncthreads(); out[t] = s[63 - t];": "two orders",
    "unsigned x; if (t < 5) x = t; out[t] = x;": "two orders of threads give two answers",
    "out[t] = __shfl_sync(0xffu, t, 9);": "a lane is not in its own mask",
    "if (t % 32 < 8) out[t] = __shfl_sync(0xffu, t, 9);": "two orders of threads give two answers",
    "if (t % 32 < 8) out[t] = __ballot_sync(~0u, 1);": "a lane of the mask has gone by",
    "if (t < 8) __syncthreads(); out[t] = 1;": "a thread has gone by a barrier",
    "if (t < 8) __syncthreads(); else __syncthreads(); out[t] = 1;": "threads wait at two barriers",
    "if (t < 32) __syncthreads(); __ballot_sync(t == 40 ? ~1u : ~0u, 1);": "threads wait for each other",
    "int x = (int)t + 2147483640; x += 1; out[t] = x / 3;": "signed integer overflow",
    "out[t] = 1 << (t + 1);": "shift exponent",
    "out[t] = 7u / (t / 2);": "division by zero",
    "unsigned a[4] = {}; out[t] = a[t];": "out of bounds",
    "out[t + 4000] = 1;": "a bad address",
    "while (in[t] == in[t]) __syncthreads();": "no end",
    "out[t] = unknown;": "g++ refuses it",
}


def test_what_has_no_answer_is_said():
    results = oracle.expected([one(f"  {body}") for body in DEFECTS], seconds=1)
    for (body, message), result in zip(DEFECTS.items(), results):
        assert isinstance(result, oracle.Defect) and message in str(result), (body, str(result)[:300])


def test_returned_threads_are_not_waited_for():
    kernel = one("  if (t % 3 == 0) return;\n  __syncthreads();\n  out[t] = __ballot_sync(~0u, t % 2);")
    ((out, _),) = oracle.expected([kernel])
    want = [sum(1 << i for i in range(32) if (base + i) % 3 and (base + i) % 2) for base in (0, 32)]
    assert out.tolist() == [0 if t % 3 == 0 else want[t // 32] for t in range(64)]


def test_shrinking_keeps_what_fails():
    kernel = one(
        "  unsigned a = in[t], b = 3u;\n  for (int i = 0; i < 5; ++i) {\n    if (a & 1u) {\n      b += __brev(a + t);\n    } else {\n"
        "      b ^= 7u;\n    }\n    a = a * 5u + 1u;\n  }\n  __syncthreads();\n  out[t] = (a + (b ^ in[(t + 1u) % 64u]));"
    )
    verdicts = lambda some, wants: [("wrong", "") if "__brev" in k.text else None for k in some]
    small = shrink.shrunk(kernel, ("wrong", ""), verdicts)
    assert "__brev" in small.text and len(small.text) < len(kernel.text) / 2
    assert not re.search("for|syncthreads|else", small.text)


def test_blame_finds_the_passes():
    names = [f"p{i}" for i in range(20)]
    assert fewest(names, lambda some: "p13" in some) == ["p13"]
    assert fewest(names, lambda some: {"p2", "p17"} <= set(some)) == ["p2", "p17"]


def test_difference_names_the_place():
    import numpy as np

    x, y = np.arange(5), np.array([0, 1, 7, 3, 4])
    assert difference([x], [x.copy()]) is None
    assert difference([x], [y]) == "buffer 0: 1 of 5 wrong, first [2]: 2, not 7"
