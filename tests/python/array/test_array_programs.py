"""Random programs over elements, slices and in-place operators leave in arrays and names what they leave in NumPy's."""

import random

import numpy as np
import pytest

import kasoku as ks

pytestmark = pytest.mark.usefixtures("tier")

N = 6


def statement(draw, dtype):
    """One line. x, y, z are rows, m a matrix, v some view of them, t and u elements that were read, s a sum."""
    row, other = draw.choice("xyz"), draw.choice("xyz")
    name, number = draw.choice("tu"), draw.choice((-2, -1, 1, 2, 3))
    i, j, k = draw.randrange(-N, N), draw.randrange(N), draw.randrange(3)
    length = draw.randrange(1, N)
    a, b = draw.randrange(N - length + 1), draw.randrange(N - length + 1)
    part, source = f"{row}[{a}:{a + length}]", f"{other}[{b}:{b + length}]"
    op, sign = draw.choice(["+", "-", "*"] if dtype == "int64" else ["+", "-"]), draw.choice(["", "-"])
    return draw.choice(
        [
            f"{name} = {row}[{i}]",
            f"{name} = m[{k}, {j % 4}]",
            f"{name} = {sign}({row} + {other})[{i}]",
            f"{row}[{i}] = {name}",
            f"m[{k}, {j % 4}] = {name}",
            f"{row}[{i}] = {other}[{j}]",
            f"{row}[{i}], {other}[{j}] = {other}[{j}], {row}[{i}]",
            f"{row}[{i}] {op}= {other}[{j}]",
            f"{row}[{i}] *= {number}",
            f"{name} {op}= {row}[{i}]",
            f"{name} += {number}",
            "t = u",
            "t, u = u, t",
            f"{part} = {source}",
            f"{part} = {source}[::-1]",
            f"{part} {op}= {source}",
            f"{part} {op}= {name}",
            f"v = {part}",
            f"v = {row}[::{draw.choice((-1, 2))}]",
            f"v = m[{k}]",
            f"v = m.T[{k}]",
            f"v[...] = {name}",
            f"v {op}= {name}",
            "v[0] = v[-1]",
            f"m[{k}] = {row}[:4]",
            f"m[:, {k}] += {name}",
            f"{row} {op}= {other}",
            f"{row} += {name}",
            f"{row} = {other}.copy()",
            f"{row} = {other} {op} {name}",
            f"{row} = {sign}{other}[::-1]",
            f"{row}[{row} > {name}] = {number}",
            f"{row}[[{j}, {k}]] = {name}",
            f"s = {row}.sum()",
            f"{row}[{i}] = s",
            f"for w in {row}:\n    t = t + w",
        ]
    )


def left_by(xp, program, dtype, **where):
    """What the names hold after the program."""
    names = {name: xp.asarray(np.arange(N, dtype=dtype) + at, **where) for at, name in enumerate("xyz")}
    names["m"] = xp.asarray(np.arange(12, dtype=dtype).reshape(3, 4), **where)
    names |= {"t": names["x"][0], "u": names["y"][1], "v": names["x"][1:3], "s": names["z"].sum()}
    exec(program, names)
    return {name: np.asarray(names[name]).tolist() for name in ("x", "y", "z", "m", "v", "t", "u", "s")}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_a_program_leaves_what_it_leaves_in_numpy(seed, dtype, device):
    draw = random.Random(f"{dtype} {seed}")
    program = "\n".join(statement(draw, dtype) for _ in range(30))
    with ks.eager(seed % 4 == 0), np.errstate(over="ignore"):
        assert left_by(ks, program, dtype, device=device) == left_by(np, program, dtype), program


def test_an_element_is_a_value(device):
    x = ks.array([1, 2, 3], device=device)
    t = x[0]
    x[0] = x[2]
    x[2] = t
    assert x.tolist() == [3, 2, 1]
    pending = x * 1000  # smaller numbers are objects that stay, which somebody may have asked for
    first = pending[0]
    assert first.is_pending
    pending += 1
    assert (int(first), pending.tolist()) == (3000, [3001, 2001, 1001])
    y = ks.array([1.0, 2.0], device=device)
    one = same = y[0]
    y *= 10
    one += 1
    assert (float(one), float(same), y.tolist()) == (2.0, 1.0, [10.0, 20.0])
    half = ks.array([1], device=device)[0]
    half += 0.5  # a new value of its own dtype, as of NumPy's scalars
    assert float(half) == 1.5
    for write in (lambda: same.fill(3), lambda: ks.add(1, 2, out=same), lambda: same.__setitem__(..., 3)):
        with pytest.raises(ValueError, match=r"read-only(.|\n)*x\[i\] = value"):
            write()
    view = y[0, ...]  # NumPy's way to one of no axes
    view += 1
    assert y.tolist() == [11.0, 20.0]
    for dtype in ("bool", "int8", "uint64", "float16", "float32", "complex64", "complex128"):
        host = np.array([[1, 0], [3, 2]]).astype(dtype)
        assert ks.array(host, device=device)[1, 0].tolist() == host[1, 0].tolist()


def test_reading_an_element_runs_no_kernel(device):
    x = ks.arange(5, device=device) + 1
    ks.eval(x)
    before = ks.stats()
    t = x[3]
    assert float(t) == 4 and t.tolist() == 4
    assert (ks.stats() - before).launches == 0


def test_elements_of_cupys_arrays_are_views(clean_process):
    clean_process(
        "import kasoku.compat.cupy as cp\n"
        "x = cp.array([1, 2, 3]); t = x[0]; x[0] = 5; assert t == 5; t += 1; t[...] = t + 1; assert x[0] == 7\n"
        "assert x[1].data.ptr == x.data.ptr + 8"
    )
