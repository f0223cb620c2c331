"""A bool is true whatever byte stands in its memory, which others may have written: everything that reads one says what NumPy says."""

import numpy as np
import pytest

import kasoku as ks

bytes_of_x = np.array([3, 1, 0, 255, 2, 0, 128, 1], dtype="uint8")
bytes_of_y = np.array([1, 1, 2, 0, 2, 0, 64, 7], dtype="uint8")

operations = {
    "a sum with a float": lambda m, x, y: x + 1.0,
    "a sum with an int": lambda m, x, y: x + 1,
    "a product": lambda m, x, y: x * 3,
    "a shift": lambda m, x, y: x << 1,
    "or": lambda m, x, y: x | y,
    "and": lambda m, x, y: x & y,
    "xor": lambda m, x, y: x ^ y,
    "not": lambda m, x, y: ~x,
    "addition": lambda m, x, y: x + y,
    "multiplication": lambda m, x, y: x * y,
    "packed": lambda m, x, y: m.packbits(x),
    "packed, of a few": lambda m, x, y: m.packbits(x[:3]),
    "equal": lambda m, x, y: x == y,
    "not_equal": lambda m, x, y: x != y,
    "less": lambda m, x, y: x < y,
    "greater_equal": lambda m, x, y: x >= y,
    "equal to True": lambda m, x, y: x == True,  # noqa: E712
    "maximum": lambda m, x, y: m.maximum(x, y),
    "minimum": lambda m, x, y: m.minimum(x, y),
    "logical_and": lambda m, x, y: m.logical_and(x, y),
    "logical_xor": lambda m, x, y: m.logical_xor(x, y),
    "logical_not": lambda m, x, y: m.logical_not(x),
    "bitwise_count": lambda m, x, y: m.bitwise_count(x),
    "sqrt": lambda m, x, y: m.sqrt(x),
    "a reversed view": lambda m, x, y: x[::-1] + 1,
    "a view in steps": lambda m, x, y: x[::2] + 1,
    "sum": lambda m, x, y: x.sum(),
    "sum in int8": lambda m, x, y: x[:8].sum(dtype="int8"),
    "sum of columns": lambda m, x, y: m.stack([x, y]).sum(axis=0),
    "sum of rows": lambda m, x, y: m.stack([x, y]).sum(axis=1),
    "prod": lambda m, x, y: x[:2].prod(),
    "any": lambda m, x, y: m.stack([x, y]).any(axis=0),
    "all": lambda m, x, y: m.stack([x, y]).all(axis=0),
    "mean": lambda m, x, y: x.mean(),
    "std": lambda m, x, y: m.std(x),
    "count_nonzero": lambda m, x, y: m.count_nonzero(x),
    "max": lambda m, x, y: x.max(),
    "argmax": lambda m, x, y: x.argmax(),
    "argmin": lambda m, x, y: x.argmin(),
    "cumsum": lambda m, x, y: m.cumsum(x),
    "astype int32": lambda m, x, y: x.astype("int32"),
    "astype uint8": lambda m, x, y: x.astype("uint8"),
    "astype float16": lambda m, x, y: x.astype("float16"),
    "astype float64": lambda m, x, y: x.astype("float64"),
    "astype complex64": lambda m, x, y: x.astype("complex64"),
    "a copy's bytes": lambda m, x, y: x.copy().view("uint8"),
    "where by it": lambda m, x, y: m.where(x, 1, 2),
    "where of it": lambda m, x, y: m.where(y, x, x) + 1,
    "a sum where it is": lambda m, x, y: m.sum(m.arange(x.size), where=x),
    "elements of a mask": lambda m, x, y: m.arange(x.size)[x],
    "elements of a mask by a mask": lambda m, x, y: x[y] + 1,
    "rows of a mask": lambda m, x, y: m.ones((x.size, 2))[x],
    "a mask beside an index": lambda m, x, y: m.arange(2 * x.size).reshape(x.size, 2)[x, 1],
    "nonzero": lambda m, x, y: m.nonzero(x)[0],
    "argwhere": lambda m, x, y: m.argwhere(x),
    "compress": lambda m, x, y: m.compress(x, m.arange(x.size)),
    "take": lambda m, x, y: m.take(x, m.asarray([0, 3])) + 1,
    "sort": lambda m, x, y: m.sort(x) + 0,
    "median": lambda m, x, y: m.median(x),
    "unique": lambda m, x, y: m.unique(x) + 0,
    "isin": lambda m, x, y: m.isin(x, m.asarray([True])),
    "diff": lambda m, x, y: m.diff(x),
    "concatenate": lambda m, x, y: m.concatenate([x, y]) + 0,
    "roll": lambda m, x, y: m.roll(x, 1) + 0,
    "convolve": lambda m, x, y: m.convolve(x, y[:8]),
    "matmul": lambda m, x, y: m.stack([x, y]) @ x,
    "bincount": lambda m, x, y: m.bincount(x.astype("int64")),
    "tolist": lambda m, x, y: m.asarray([int(value) for value in x.tolist()]),
    "item": lambda m, x, y: m.asarray(int(x[3].item())),
    "an element": lambda m, x, y: m.asarray(x[0] + 1),
    "two elements": lambda m, x, y: m.asarray(x[0] == x[1]),
    "elements stored where it is": lambda m, x, y: stored(m, x, 9),
    "elements stored one by one where it is": lambda m, x, y: stored(m, x, m.arange(int(x.sum()))),
    "added at places": lambda m, x, y: added(m, x),
}


def stored(m, mask, value):
    z = m.arange(mask.size)
    z[mask] = value
    return z


def added(m, values):
    z = m.zeros(3, dtype="int64")
    m.add.at(z, m.arange(values.size) % 3, values)
    return z


def same(name, x, y, by_numpy):
    got, want = np.asarray(operations[name](ks, x, y)), operations[name](np, *by_numpy)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(
        got.view("uint8") if got.dtype == bool else got, np.asarray(want).view("uint8") if got.dtype == bool else want
    )


@pytest.mark.parametrize("times", [1, 700, 20000])
@pytest.mark.parametrize("name", operations)
def test_bytes_seen_as_bools_are_numpys_bools(name, times, device):
    numbers = [np.tile(each, times) for each in (bytes_of_x, bytes_of_y)]
    with ks.default_device(device):
        same(name, *(ks.array(each).view(bool) for each in numbers), [each.view(bool) for each in numbers])


ways = {
    "asarray": lambda x: ks.asarray(x),
    "from_dlpack": lambda x: ks.from_dlpack(x),
    "frombuffer": lambda x: ks.frombuffer(x.view("uint8").data, dtype=bool),
}


@pytest.mark.parametrize("way", ways)
@pytest.mark.parametrize(
    "name", ["a sum with a float", "and", "sum", "argmax", "elements of a mask", "sort", "where by it"]
)
def test_bools_in_memory_of_others_are_numpys_bools(name, way):
    x, y = (np.tile(each, 300).view(bool) for each in (bytes_of_x, bytes_of_y))
    same(name, ways[way](x), ways[way](y), [x, y])


@ks.jit
def counted(x):
    n = 0
    for i in range(x.shape[0]):
        if x[i]:
            n += 1
    return n


@ks.jit
def statements(x, y, out):
    both = x & y
    out[:] = x
    out[0] = both.sum() > 2
    return x + 1, both, np.where(x, 2, 3), x.sum(), int(x[0]) + int(x[3])


def test_a_compiled_function_reads_bools_as_numpy():
    x, y = (np.tile(each, 50).view(bool) for each in (bytes_of_x, bytes_of_y))
    out, plain = np.zeros(x.size, bool), np.zeros(x.size, bool)
    assert counted(x) == np.count_nonzero(x)
    plain[:] = x.astype("uint8").astype(bool)
    plain[0] = (x & y).sum() > 2
    got, want = statements(x, y, out), (x + 1, x & y, np.where(x, 2, 3), x.sum(), 2)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(out, plain)


def test_a_compiled_function_reads_bools_of_records_as_numpy():
    record = np.dtype([("flag", bool), ("number", "int32")], align=True)
    x = np.zeros(3, record)
    x["flag"] = bytes_of_x[:3].view(bool)

    @ks.jit
    def truths(x):
        n = 0
        for i in range(x.shape[0]):
            n += int(x[i]["flag"]) + int(x["flag"][i])
        return n

    assert truths(x) == 4
