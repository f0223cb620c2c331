"""Arrays that leave little memory beside them, and arrays of more than 2^31 elements."""

import numpy as np
import pytest

import kasoku as ks

LITTLE = """
import resource
import kasoku as ks
import numpy as np

n = 1 << 24
x = (ks.arange(n, dtype="int64") * 2654435761 % 1000003).astype("float64").eval()
names = {"sort": 2, "argsort": 3, "unique": 4, "cumsum": 2, "cumprod": 2, "flatnonzero": 3, "median": 2}
for name in names:  # what a first time maps: kernels, threads
    getattr(ks, name)(x[:70_000]).eval(), getattr(ks, name)(x[: 1 << 20].copy()).eval()
before = x.numpy()
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, resource.RLIM_INFINITY))
for name in names:
    try:
        got = getattr(ks, name)(x)
        got = got.eval() if isinstance(got, ks.Array) else got
        print(name, "done")
        del got
    except MemoryError as error:
        assert "cannot allocate" in str(error) and "iB on cpu" in str(error), str(error)
        print(name, "refused")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
assert np.array_equal(x.numpy(), before)
assert np.array_equal(ks.sort(x).numpy(), np.sort(before))
print("end")
"""


@pytest.mark.parametrize("room", [32 << 20, 160 << 20, 2 << 30], ids=["nothing", "a_little", "enough"])
def test_little_memory_is_enough_or_a_sentence(room, clean_process):
    said = clean_process(LITTLE.replace("ROOM", str(room))).stdout.split("\n")
    words = dict(line.split() for line in said if " " in line)
    assert "end" in said and len(words) == 7
    if room == 2 << 30:
        assert set(words.values()) == {"done"}
    if room == 32 << 20:
        assert words["sort"] == words["argsort"] == words["unique"] == words["cumsum"] == "refused"


HUGE = (1 << 31) + 5


@pytest.fixture(scope="module")
def bytes_():
    """Few elements that are not 0, beyond 2^31 too."""
    with open("/proc/meminfo") as file:
        free = next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))
    if free < 12 << 30:
        pytest.skip("takes 12 GB of memory")
    x = ks.zeros(HUGE, dtype="int8").eval()
    for at, value in PLACES.items():
        x[at] = value
    return x


PLACES = {0: 3, 7: -2, (1 << 31) - 1: 5, 1 << 31: 100, (1 << 31) + 3: 1, (1 << 31) + 4: -7}


@pytest.mark.slow
class TestMoreThan31Bits:
    def test_reductions(self, bytes_):
        assert bytes_.sum().item() == sum(PLACES.values())
        assert bytes_.argmax().item() == 1 << 31 and bytes_.argmin().item() == (1 << 31) + 4
        assert ks.count_nonzero(bytes_).item() == len(PLACES)

    def test_positions(self, bytes_):
        assert ks.flatnonzero(bytes_).tolist() == list(PLACES)
        assert ks.nonzero(bytes_ > 4)[0].tolist() == [(1 << 31) - 1, 1 << 31]
        assert bytes_[bytes_ != 0].tolist() == list(PLACES.values())

    def test_elements(self, bytes_):
        at = ks.array(list(PLACES) + [-1, -5])
        assert ks.take(bytes_, at).tolist() == [*PLACES.values(), -7, 100]
        assert bytes_[at].tolist() == [*PLACES.values(), -7, 100]
        with pytest.raises(IndexError, match=f"index {HUGE} is out of bounds"):
            ks.take(bytes_, [HUGE])

    def test_sort(self, bytes_):
        ordered = ks.sort(bytes_)
        assert ordered[:3].tolist() == [-7, -2, 0] and ordered[-5:].tolist() == [0, 1, 3, 5, 100]
        assert ks.count_nonzero(ordered).item() == len(PLACES)

    def test_unique(self, bytes_):
        values, counts = ks.unique(bytes_, return_counts=True)
        assert values.tolist() == sorted({0, *PLACES.values()})
        assert counts.tolist() == [1 if v else HUGE - len(PLACES) for v in values.tolist()]

    def test_roll(self, bytes_):
        rolled = ks.roll(bytes_, 3).eval()
        assert ks.flatnonzero(rolled).tolist() == sorted((at + 3) % HUGE for at in PLACES)

    def test_sums(self, bytes_):
        sums = ks.cumsum(bytes_, dtype="int8").eval()
        for at in (0, 6, 7, (1 << 31) - 2, (1 << 31) - 1, 1 << 31, HUGE - 1):
            assert sums[at].item() == np.int8(sum(v for k, v in PLACES.items() if k <= at))
