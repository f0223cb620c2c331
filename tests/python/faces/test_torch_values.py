"""What torch refuses of bools and of memory that is there twice; views, shared memory, events, conversions."""

import copy

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import torch

B = [True, False]


@pytest.mark.parametrize(
    "expression",
    [
        lambda t: 1 - t,
        lambda t: t - 1,
        lambda t: t - True,
        lambda t: torch.ones(2) - t,
        lambda t: t - t,
        lambda t: torch.sub(t, t),
        lambda t: -t,
        lambda t: t // t,
        lambda t: t % t,
        lambda t: t**t,
        lambda t: torch.fmod(t, t),
        lambda t: ~torch.ones(2),
        lambda t: torch.ones(2) & 1,
        lambda t: torch.ones(2) << 1,
        lambda t: t.clone().sub_(t),
    ],
)
def test_what_torch_does_not_compute_with_bools_and_floats(expression):
    for _ in range(2):  # what is kept of a rule's answer is the answer
        with pytest.raises(RuntimeError, match="not supported|not implemented for '(Bool|Float)'"):
            expression(torch.tensor(B))


def test_what_torch_computes_with_bools():
    t = torch.tensor(B)
    for made, dtype, values in [
        (t + t, torch.bool, [True, False]),
        (t * 3, torch.int64, [3, 0]),
        (t / t.logical_not().logical_or(t), torch.float32, [1, 0]),
        (t % 2, torch.int64, [1, 0]),
        (t << 1, torch.int64, [2, 0]),
        (t ^ True, torch.bool, [False, True]),
    ]:
        assert made.dtype is dtype and made.tolist() == values


def test_a_view_shares_its_memory_or_is_refused():
    x = torch.arange(6).reshape(2, 3)
    for view in (x.view(3, 2), x.view(-1), x.view(1, 6), x.view_as(torch.zeros(3, 2)), x[0].view(3, 1)):
        view[0] = 7
        assert x.flatten()[0] == 7 and view.data_ptr() == x.data_ptr()
        x[0, 0] = 0
    assert x.t().view(3, 2).data_ptr() == x.data_ptr()
    for refused in (lambda: x.t().view(6), lambda: x[:, :2].view(4), lambda: x.t().view_as(torch.zeros(2, 3))):
        with pytest.raises(RuntimeError, match=r"Use \.reshape"):
            refused()
    assert torch.arange(6).reshape(2, 3).t().reshape(6).tolist() == [0, 3, 1, 4, 2, 5]
    with pytest.raises(RuntimeError, match="<= 2 dimensions"):
        torch.zeros(2, 3, 4).t()
    for dims in ((0, 1), (0, 0, 1)):
        with pytest.raises(RuntimeError):
            torch.zeros(2, 3, 4).permute(*dims)


def test_expanded_tensors_are_views_and_are_not_written_as_a_whole():
    x = torch.zeros(1, 3)
    y = x.expand(4, -1)
    assert y.shape == (4, 3) and y.stride() == (0, 1) and y.data_ptr() == x.data_ptr()
    y[2, 0] = 5
    assert x.tolist() == [[5, 0, 0]] and y[:, 0].tolist() == [5] * 4
    assert (y + 1).tolist() == [[6, 1, 1]] * 4 and y.sum().item() == 20
    for write in (lambda: y.add_(1), lambda: y.fill_(2), lambda: y.copy_(torch.ones(4, 3)), lambda: y[:, 1].mul_(2)):
        with pytest.raises(RuntimeError, match="single memory location"):
            write()
    with pytest.raises(RuntimeError, match="single memory location"):
        y += 1
    assert x.tolist() == [[5, 0, 0]]
    assert torch.zeros(2, 1, 3).expand(2, 4, 3).shape == (2, 4, 3) and torch.zeros(3).expand((2, 3)).shape == (2, 3)
    assert torch.zeros(0, 1).expand(0, 4).shape == (0, 4) and torch.tensor(2.0).expand(3).tolist() == [2, 2, 2]
    for shape in ((-1, 2, 3), (4, 4), (3,)):
        with pytest.raises(RuntimeError):
            x.expand(*shape)


def test_numpy_and_tensor_are_one_memory():
    n = np.zeros((2, 3))
    for make in (torch.from_numpy, torch.as_tensor):
        x = make(n)
        x[0, 0] += 1
        x.mul_(2)
        x += 1
        torch.add(x, 1, out=x)
        assert (x.numpy() == n).all() and n[0, 0] == 4
        n[:] = 0
        assert x.sum().item() == 0
    seen = torch.tensor(n).numpy()
    seen[0] = 3
    assert n.sum() == 0
    assert torch.from_numpy(n.T).t().data_ptr() == torch.from_numpy(n).data_ptr()


def test_conversions_give_the_tensor_itself_where_nothing_changes():
    x = torch.ones(2)
    for same in (
        x.to("cpu"),
        x.to(torch.device("cpu")),
        x.to(torch.float32),
        x.cpu(),
        x.float(),
        x.to(x),
        x.to("cpu", non_blocking=True),
    ):
        assert same is x
    assert x.to(torch.float32, copy=True) is not x and x.to("cpu", copy=True).data_ptr() != x.data_ptr()
    assert x.to(float).dtype is torch.float64 and torch.zeros(2, dtype=complex).dtype is torch.complex128
    for name, dtype in dict(
        byte="uint8", char="int8", short="int16", int="int32", long="int64", half="float16", cfloat="complex64"
    ).items():
        assert getattr(x, name)().dtype is getattr(torch, dtype)
    assert torch.tensor([300, -1]).byte().tolist() == [44, 255]
    assert copy.deepcopy(x).data_ptr() != x.data_ptr()


def test_numbers_that_are_stored_in_integers():
    x = torch.zeros(2, dtype=torch.uint8)
    x[0] = -1
    assert x.tolist() == [255, 0] and x.fill_(-2).tolist() == [254, 254]
    y = torch.zeros(2, dtype=torch.int32)
    y[1] = 1.75
    assert y.tolist() == [0, 1]
    for tensor, value in ((x, 300), (y, 2**31), (y, float("nan"))):
        with pytest.raises(RuntimeError, match="overflow"):
            tensor[0] = value


def test_events_say_what_they_lack():
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with pytest.raises(RuntimeError, match="must be recorded"):
        start.elapsed_time(end)
    start.record()
    torch.ones(1000).exp()
    end.record()
    torch.cuda.synchronize()
    end.wait()
    assert start.elapsed_time(end) > 0 and start.query() and end.query() and torch.cuda.Event().query()
    with pytest.raises(RuntimeError, match="enable_timing=True"):
        torch.cuda.Event().elapsed_time(end)


def test_results_with_names_print_as_torchs():
    largest = torch.tensor([[1.0, 3.0]]).max(dim=1)
    assert repr(largest) == "torch.return_types.max(\nvalues=tensor([3.]),\nindices=tensor([1]))"
    values, indices = largest
    assert values.item() == 3 and indices.item() == 1
    assert str(torch.tensor([2, 1]).sort()).startswith("torch.return_types.sort(\nvalues=tensor([1, 2])")


printed = [
    (lambda: torch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (lambda: torch.zeros(0, 3), "tensor([], size=(0, 3))"),
    (lambda: torch.tensor([], dtype=torch.int64), "tensor([], dtype=torch.int64)"),
    (lambda: torch.tensor([1.0, 2000.0]), "tensor([1.0000e+00, 2.0000e+03])"),
    (lambda: torch.tensor([1.0, 1000.0]), "tensor([   1., 1000.])"),
    (lambda: torch.tensor([-1.5, 10.25]), "tensor([-1.5000, 10.2500])"),
    (lambda: torch.tensor([float("nan"), 1.5]), "tensor([   nan, 1.5000])"),
    (lambda: torch.tensor([float("inf"), 1.0]), "tensor([inf, 1.])"),
    (lambda: torch.tensor([True, False]), "tensor([ True, False])"),
    (lambda: torch.tensor(3.14159), "tensor(3.1416)"),
    (lambda: torch.tensor([3 + 0j, -1.5 + 0.866j]), "tensor([ 3.0000+0.0000j, -1.5000+0.8660j])"),
    (lambda: torch.tensor([1 + 2j, 3 - 1j]), "tensor([1.+2.j, 3.-1.j])"),
    (lambda: torch.zeros(1, 2, 2), "tensor([[[0., 0.],\n         [0., 0.]]])"),
    (lambda: torch.zeros(2, 1, 1), "tensor([[[0.]],\n\n        [[0.]]])"),
    (lambda: torch.ones(9, dtype=torch.float64), "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=torch.float64)"),
    (lambda: torch.ones(20, dtype=torch.float64),
     "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,\n        1., 1.], dtype=torch.float64)"),
    (lambda: torch.ones(18, dtype=torch.float64),
     "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.],\n       dtype=torch.float64)"),
]  # fmt: skip


@pytest.mark.parametrize("make, text", printed, ids=range(len(printed)))
def test_tensors_print_as_torchs(make, text):
    assert repr(make()) == text


def test_long_matrices_print_their_corners():
    lines = repr(torch.arange(1200).reshape(10, 120)).split("\n")
    assert lines[0] == "tensor([[   0,    1,    2,  ...,  117,  118,  119],"
    assert lines[3] == "        ...," and len(lines) == 7


def test_complex_numbers_are_as_wide_as_floats_by_default():
    made = (torch.tensor(1j), torch.tensor([1, 2j]), torch.full((2,), 1j), torch.ones(2) * 1j)
    assert all(t.dtype == torch.complex64 for t in made) and made[2].tolist() == [1j, 1j]
    assert torch.tensor(np.complex128(1j)).dtype == torch.tensor(np.ones(2) * 1j).dtype == torch.complex128
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor([1j]).dtype == torch.complex128 and repr(torch.tensor(1j)) == "tensor(0.+1.j)"
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_share_of_a_gpus_memory_is_a_limit():
    with pytest.raises(ValueError, match="Allowed range: 0 to 1"):
        torch.cuda._limit(ks.Device("cpu"), 1.5)
    torch.cuda._limit(ks.Device("cpu"), 0.5)
    assert ks.Device("cpu").memory["limit"] == int(ks.Device("cpu").memory["total"] * 0.5)
    torch.cuda._limit(ks.Device("cpu"), 1)
    assert ks.Device("cpu").memory["limit"] == 0 and issubclass(torch.cuda.OutOfMemoryError, MemoryError)
