"""What does not fit in a program of arrays is one sentence, nothing is half written, and the program goes on."""

import threading
import warnings

import numpy as np
import pytest

import kasoku as ks

pytestmark = pytest.mark.usefixtures("tier")

STRETCH = "shapes .* do not broadcast\n  why  axis -[12] is . and .\n  fix  give one of them length 1 there"
OUTPUT = r"non-broadcastable output operand with shape \(.*\) doesn't match the broadcast shape \(.*\)"
STORE = r"cannot store the (float64|complex128) result of \w+ in an array of (int64|float64)"
AXIS = r"axis -?\d is out of bounds for array of dimension \d"
INDEX = r"index -?\d is out of bounds for axis \d with size \d"
MASK = (
    "boolean index did not match indexed array along axis .; size of axis is . but size of corresponding boolean axis"
)

# x has shape (2, 3), i three integers, b three bools
WRONG = {
    ValueError: {
        STRETCH: ["x + ks.ones(4)", "x += ks.ones((2, 4))", "x[:] = ks.ones(4)", "ks.where(x > 1, x, ks.ones(5))", "x[x > 1] = i[:2]",
                  "x.sum(where=ks.ones(5, dtype=bool))", "ks.broadcast_to(x, (3, 3))", "ks.clip(x, i[:2], 5)", "x[[0, 1]] = ks.ones(2)"],
        OUTPUT: ["ks.add(x, 1, out=x[0])", "x += ks.ones((4, 2, 3))", "ks.sqrt(x, out=x[0])"],
        r"matmul: shapes \(2, 3\) and \(2, 3\) do not match": ["x @ x"],
        "input array dimensions except for the concatenation axis must match exactly": ["ks.concatenate([x, ks.ones((3, 2))])"],
        "cannot reshape array of size 6 into shape": ["x.reshape(5)"],
        # A product that is 10 in 64 bits.
        "cannot reshape array of size 10 into shape": ["ks.zeros(20)[::2].reshape(2, 13, 419, 691, 823, 2977518503)",
                                                       "ks.zeros(10).reshape(2, 13, 419, 691, 823, 2977518503, -1)"],
        "duplicate value in 'axis'": ["x.sum(axis=(0, -2))"],
        "repeated axis": ["x.transpose(0, 0)"],
        "slice step cannot be zero": ["x[::0]", "x[::0] = 1"],
        "assignment destination is read-only": ["ks.asarray(fixed)[0] = 1", "y = ks.asarray(fixed)\ny += 1"],
    },
    TypeError: {
        STORE: ["i += 0.5", "i /= 2", "x += 1j", "ks.add(i, 0.5, out=i)", "i[:] += 0.5", "ks.sqrt(i, out=i, where=b)"],
        "not defined for bool arrays\n  fix  use bitwise_xor": ["b - b", "b -= b"],
        "is not defined for float64 arrays": ["x & x", "i << 1.5", "~x", "i.astype('uint64') & i", "x &= 1"],
        "is not defined for complex128 arrays": ["ks.floor(x + 1j)"],
        "a complex number does not become an element of int64": ["i[0] = 1j", "i[:] = 1j", "i[:] = [1j, 2, 3]", "ks.insert(i, 1, 1j)", "ks.insert(i, 1, [1j, 2])", "ks.put(i, [0], [1j])", "ks.place(i, i > 0, [1j])", "ks.copyto(i, [1j, 2, 3])"],
        "a complex number does not become an element of float64": ["ks.fill_diagonal(x, 1j)", "ks.fill_diagonal(x, [1j, 2])", "ks.putmask(x, x > 0, [1j])"],
        "unsupported operand type": ["x + 'a'", "x += 'a'"],
        "axis is an integer or a tuple of them, got a float": ["x.sum(axis=1.5)", "x.argmax(axis=1.0)"],
    },
    OverflowError: {
        "Python integer 300 out of bounds for int8\n  fix  convert the array first": ["i.astype('int8') + 300", "i.astype('int8')[0:1] = 300"],
    },
    IndexError: {
        AXIS: ["x.sum(axis=2)", "x.argmax(axis=-3)", "ks.concatenate([x, x], axis=2)", "ks.stack([x, x], axis=5)", "x.transpose(0, 2)", "ks.flip(x, axis=3)",
               "ks.expand_dims(x, 7)", "x.swapaxes(0, 3)", "ks.roll(x, 1, 3)", "ks.take(x, i, axis=4)", "ks.moveaxis(x, 0, 5)", "x.var(axis=(0, 2))"],
        INDEX: ["x[2]", "x[0, 3]", "x[-3]", "x[5] = 1", "x[0, -4] += 1", "x[[0, 2]]", "x[:, [0, -4]]", "x[[0, 2]] = 1", "x[0, [1, 3]] = 7", "ks.take(x, [9])", "x[[0, 5]] += 1"],
        "too many indices for array: array is 2-dimensional, but 3 were indexed": ["x[0, 0, 0]", "x[0, 0, 0] = 1"],
        MASK: ["x[b]", "x[x[:, :2] > 1] = 1"],
        "must be of integer .or boolean. type": ["x[1.5]", "x[[0.5]] = 1"],
        "only a single ellipsis|can only have a single ellipsis": ["x[..., ...]"],
        "an index is an integer, a slice, ..., None or an array of integers or bools, not a str": ["x['a']", "x['a'] = 1", "x[0, 'a']"],
    },
}  # fmt: skip
CASES = [(kind, said, text) for kind, rows in WRONG.items() for said, texts in rows.items() for text in texts]


@pytest.mark.parametrize("kind, said, text", CASES, ids=[text for *_, text in CASES])
def test_what_does_not_fit(kind, said, text, device):
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    if "fixed" in text and device != "cpu":
        pytest.skip("a copy on a GPU can be written")
    with ks.default_device(device):
        names = {
            "ks": ks,
            "x": ks.arange(6.0).reshape(2, 3),
            "i": ks.arange(3),
            "b": ks.array([True, False, True]),
            "fixed": fixed,
        }
        names |= {"x": names["x"] + 0, "i": names["i"] + 0}  # a value that waits does not vanish either
        with pytest.raises(kind, match=said) as raised:
            exec(text, names)
        if "AxisError" in str(raised.type):
            assert isinstance(raised.value, ValueError)  # NumPy's is both
        assert names["x"].tolist() == [[0, 1, 2], [3, 4, 5]] and names["i"].tolist() == [0, 1, 2] and fixed.sum() == 0
        assert names["b"].tolist() == [True, False, True]
        assert (names["x"] + 1).sum() == 21


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "float16", "float32", "float64"])
def test_division_by_zero_and_overflow_are_numpys(dtype, device):
    """Values that NumPy warns of are computed as NumPy computes them, without a warning."""
    d = np.dtype(dtype)
    largest = np.iinfo(d).max if d.kind in "iu" else np.finfo(d).max
    least = np.iinfo(d).min if d.kind in "iu" else np.finfo(d).min
    host = np.array([0, 1, largest, least, 3], d)
    zero, x, y, z = np.zeros(5, d), host, host[::-1].copy(), np.array([0, 1, 0, 1, 0], d)
    for text in ["x // z", "x % z", "x / z", "x // zero", "x + x", "x * y", "-x", "abs(x)", "x - y", "x ** 2", "xp.fmod(x, z)", "xp.square(x)",
                 "xp.floor_divide(x, z)", "x.sum(dtype=x.dtype)" if d.kind in "iu" else "x.max()", "xp.prod(x)" if d.kind in "iu" else "x.min()"]:  # fmt: skip
        with np.errstate(all="ignore"):
            want = eval(text, {"xp": np, "x": x, "y": y, "z": z, "zero": zero})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ours = {
                name: ks.array(value, device=device) for name, value in {"x": x, "y": y, "z": z, "zero": zero}.items()
            }
            got = eval(text, {"xp": ks, **ours})
        assert got.dtype == want.dtype, text
        np.testing.assert_array_equal(got.numpy(), want, text)


def test_no_memory_in_the_middle_of_a_graph(clean_process):
    """The sentence names size and device, what was to be written holds what it held, what failed can be computed later."""
    program = """
import resource
import kasoku as ks

n = 1 << 25
x, small = ks.arange(float(n)).eval(), ks.zeros(4)
few = [lambda: x - 1, lambda: ks.sqrt(x), lambda: ks.roll(x, 1), lambda: ks.stack([x, x, x])]
for f in few:  # what a first time maps
    f().eval()
(x[:-1] * 2).eval()
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20),) * 2)
held = []

def refused(f):
    try:
        held.append(f().eval())
    except MemoryError as error:
        assert "cannot allocate" in str(error) and "MiB on cpu" in str(error), str(error)
    else:
        held.append(None)
        assert len(held) < 20, "memory without an end"
        return False
    return True

waiting = x + 3
while not refused(few[0]):  # what the pool holds
    pass
for f in few:
    assert refused(f)
    assert small.tolist() == [0, 0, 0, 0]

def shifted():
    x[1:] = x[:-1] * 2

def swapped():
    x[...] = x[::-1]

for write in (shifted, swapped):
    try:
        write()
        assert False, "there was memory"
    except MemoryError as error:
        assert "cannot allocate 256.0 MiB on cpu" in str(error), str(error)
    assert [float(x[i]) for i in (0, 1, 5, n - 1)] == [0, 1, 5, n - 1]
assert refused(lambda: waiting)
held.clear()
assert float(waiting.eval()[7]) == 10
print("goes on")
"""
    assert clean_process(program, env={"KASOKU_DEVICE": "cpu", "KASOKU_NUM_THREADS": "2"}).stdout == "goes on\n"


@pytest.mark.usefixtures("on_device")
def test_a_hundred_thousand_that_wait():
    n = 100_000
    x = total = ks.zeros(2000).eval()
    for _ in range(n):  # each reads the one before
        x = x + 1
    assert x.numpy().tolist() == [n] * 2000
    del x
    many = [total + i for i in range(n)]  # all read one
    assert float(many[-1][0]) == n - 1
    del many
    waiting = ks.arange(4)
    many = [waiting * i for i in range(n)]
    waiting += 1  # who reads the old value comes first
    assert [int(many[i][3]) for i in (0, 1, 77, n - 1)] == [0, 3, 231, 3 * (n - 1)]
    assert waiting.tolist() == [1, 2, 3, 4]
    wide = ks.zeros(2000)
    for row in many[: n // 10]:
        wide = wide + row[1]
    assert float(wide[0]) == sum(range(n // 10))


def together(*functions):
    """Runs them side by side; what one raises is raised here."""
    raised = []

    def run(f):
        try:
            f()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    if raised:
        raise raised[0]


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("n", [6, 5000])
def test_an_array_that_two_threads_write(n):
    """Each element holds what one of them wrote, whole; an in-place operator may lose what the other wrote between, as in NumPy."""
    x = ks.zeros(n)
    rounds = 300

    def writer(value):
        def write():
            for _ in range(rounds):
                x[...] = value
                x[: n // 2] = ks.full(n // 2, value)
                x[0] = value

        return write

    seen = []
    together(writer(1.0), writer(-(2.0**60)), lambda: seen.extend(x.numpy() for _ in range(rounds)))
    assert set(np.unique([*seen, x.numpy()])) <= {0.0, 1.0, -(2.0**60)}
    counts = ks.zeros(n)

    def count():
        for _ in range(rounds):
            nonlocal counts
            counts += 1

    together(count, count)
    assert rounds <= counts.numpy().max() <= 2 * rounds and counts.numpy().min() >= 1
    halves = ks.zeros(n)  # each a part of its own: nothing is lost

    def half(part):
        for _ in range(rounds):
            part += 1

    together(lambda: half(halves[: n // 2]), lambda: half(halves[n // 2 :]))
    assert halves.numpy().tolist() == [rounds] * n
