"""PTX's video instructions, of words and of their bytes and halves, against the same sums in NumPy."""

import itertools

import numpy as np
import pytest

import kasoku as ks

N = 256
OPERATIONS = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}


def operands():
    rng = np.random.default_rng(7)
    a, b, c = (rng.integers(0, 2**32, N, dtype=np.uint32) for _ in range(3))
    a[:6], b[:6] = [0, 2**32 - 1, 2**31, 2**31 - 1, 0x80FF7F01, 5], [2**32 - 1, 2**32 - 1, 1, 2**31, 0x7F80FF80, 5]
    return a, b, c


def run(statements):
    a, b, c = operands()
    lines = "".join(
        f'asm("{statement} %0, %1, %2, %3;" : "=r"(r) : "r"(a[t]), "r"(b[t]), "r"(c[t])); out[{k} * {N} + t] = r;\n'
        if needs_c
        else f'asm("{statement};" : "=r"(r) : "r"(a[t]), "r"(b[t])); out[{k} * {N} + t] = r;\n'
        for k, (statement, needs_c) in enumerate(statements)
    )
    text = "__global__ void k(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out) { int t = threadIdx.x; unsigned r;\n%s}"
    out = ks.zeros((len(statements), N), dtype="uint32")
    ks.RawKernel(text % lines, "k")((1,), (N,), (ks.array(a), ks.array(b), ks.array(c), out))
    return out.numpy(), a, b, c


def parts(word, bits, kind):
    found = (word[:, None].astype(np.int64) >> np.arange(0, 32, bits)) & (2**bits - 1)
    return np.where((kind == "s32") & (found >> (bits - 1) == 1), found - 2**bits, found)


def limited(value, bits, kind):
    low = -(2 ** (bits - 1)) if kind == "s32" else 0
    return np.clip(value, low, low + 2**bits - 1)


@pytest.mark.parametrize("count", [2, 4])
def test_parts_of_words(count):
    bits = 32 // count
    forms = list(itertools.product(OPERATIONS, ("u32", "s32"), ("u32", "s32"), ("u32", "s32"), ("", ".sat", ".add")))
    got, a, b, c = run([(f"{name}{count}.{to}.{x}.{y}{end}", True) for name, to, x, y, end in forms])
    for row, (name, to, x, y, end) in zip(got, forms):
        value = OPERATIONS[name](parts(a, bits, x), parts(b, bits, y))
        if end == ".sat":
            value = limited(value, bits, to)
        if end == ".add":
            want = (value.sum(1) + c) % 2**32
        else:
            want = ((value % 2**bits) << np.arange(0, 32, bits)).sum(1)
        np.testing.assert_array_equal(row, want.astype(np.uint32), err_msg=f"{name}{count}.{to}.{x}.{y}{end}")


def test_words_and_chosen_parts_of_them():
    forms = list(itertools.product(OPERATIONS, ("u32", "s32"), ("u32", "s32"), ("u32", "s32"), ("", ".sat")))
    whole, a, b, c = run([(f"{name}.{to}.{x}.{y}{end} %0, %1, %2", False) for name, to, x, y, end in forms])
    chosen, *_ = run([(f"{name}.{to}.{x}.{y}{end} %0, %1.b2, %2.h1", False) for name, to, x, y, end in forms])
    for rows, first, second in (
        (whole, lambda x: parts(a, 32, x)[:, 0], lambda y: parts(b, 32, y)[:, 0]),
        (chosen, lambda x: parts(a, 8, x)[:, 2], lambda y: parts(b, 16, y)[:, 1]),
    ):
        for row, (name, to, x, y, end) in zip(rows, forms):
            value = OPERATIONS[name](first(x), second(y))
            value = limited(value, 32, to) if end else value
            np.testing.assert_array_equal(row, (value % 2**32).astype(np.uint32), err_msg=f"{name}.{to}.{x}.{y}{end}")


def test_shifts_and_comparisons():
    got, a, b, c = run(
        [
            ("vshl.u32.u32.u32.wrap %0, %1, %2", False),
            ("vshr.u32.u32.u32.wrap %0, %1, %2.b0", False),
            ("vshr.s32.s32.u32.clamp %0, %1, %2.b1", False),
            ("vshl.u32.u32.u32.clamp %0, %1, %2.b1", False),
            ("vset.s32.s32.lt %0, %1, %2", False),
            ("vset4.u32.u32.ge", True),
            ("vset2.s32.s32.ne.add", True),
        ]
    )
    shift = b.astype(np.int64) & 31
    far = np.minimum(parts(b, 8, "u32")[:, 1], 32)
    wide = a.astype(np.int64)
    want = [
        wide << shift,
        wide >> shift,
        parts(a, 32, "s32")[:, 0] >> far,
        np.where(far == 32, 0, wide << np.minimum(far, 31)),
        parts(a, 32, "s32")[:, 0] < parts(b, 32, "s32")[:, 0],
        ((parts(a, 8, "u32") >= parts(b, 8, "u32")).astype(np.int64) << np.arange(0, 32, 8)).sum(1),
        (parts(a, 16, "s32") != parts(b, 16, "s32")).sum(1) + c,
    ]
    for row, value in zip(got, want):
        np.testing.assert_array_equal(row, (np.asarray(value, np.int64) % 2**32).astype(np.uint32))
