"""Processes that compute together: collective operations on arrays.

A program is started as several processes, one for each GPU or a few for a CPU: by `kasoku run --gpus N program.py`,
`kasoku run --processes N program.py`, `torchrun` or `mpiexec`. Each runs the same program and calls the same functions
in the same order; `rank()` tells which of `size()` processes it is. A program that is started alone is a group of one.

    import kasoku as ks

    hits = count(ks.distributed.rank())                 # each its share
    print(ks.distributed.all_reduce(hits, "sum"))       # the same in all

Arrays of a GPU go from GPU to GPU by NVIDIA's NCCL. Those of a CPU go by MPI where MPI started the processes and mpi4py
is installed, else through sockets; they are combined by the engine in the order of the ranks, so that all processes have
the same bits, with any number of threads and either way.
"""

from __future__ import annotations

import atexit
import threading

import kasoku as ks

from .. import errors
from . import _place

__all__ = [
    "all_gather", "all_reduce", "backend", "barrier", "broadcast", "finalize", "init", "is_initialized", "local_rank",
    "rank", "recv", "reduce_scatter", "send", "size",
]  # fmt: skip

reductions = ("sum", "prod", "min", "max", "mean")

_lock = threading.RLock()
_group = None


def init(backend=None, timeout=60.0):
    """Meets the other processes; the first call of any function here does so by itself.

    backend: what carries the arrays of a CPU, "sockets" or "mpi"; None chooses. timeout: seconds to wait for a process,
    here and in each later call. Where the default device is a GPU, this process takes the one of its local rank. Raises
    DeviceError if a process does not come in time, or there are fewer GPUs than processes. Returns None.

    >>> ks.distributed.init()
    >>> ks.distributed.is_initialized()
    True
    """
    global _group
    with _lock:
        if _group is None:
            _group = _place.join(backend, float(timeout))
            atexit.register(finalize)
        elif backend not in (None, _group.backend):
            raise errors.ValueError(
                f"distributed.init: this process has joined by {_group.backend!r}\n  fix  finalize() first"
            )


def is_initialized():
    """Whether this process has met the others.

    >>> ks.distributed.finalize()
    >>> ks.distributed.is_initialized()
    False
    """
    return _group is not None


def finalize():
    """Leaves the group; all processes call it, or end. Returns None.

    >>> ks.distributed.finalize()
    """
    global _group
    with _lock:
        if _group is not None:
            _group.close()
            _group = None


def _joined():
    if _group is None:
        init()
    return _group


def rank():
    """The number of this process, from 0.

    >>> ks.distributed.rank()
    0
    """
    return _joined().rank


def size():
    """How many processes there are.

    >>> ks.distributed.size()
    1
    """
    return _joined().size


def local_rank():
    """The number of this process among those of its host.

    >>> ks.distributed.local_rank()
    0
    """
    return _joined().local_rank


def backend():
    """The carrier of a CPU's arrays: "sockets", "mpi", or "alone" in a group of one.

    >>> ks.distributed.backend()
    'alone'
    """
    return _joined().backend


def _array(x, call):
    try:
        x = ks.asarray(x)
    except (TypeError, ValueError) as error:
        raise errors.TypeError(f"distributed.{call}: {type(x).__name__} is no array: {error}") from None
    steps, step = [], x.itemsize
    for length in reversed(x.shape):
        steps.append(step)
        step *= length
    return x if list(x.strides) == steps[::-1] else x.copy()


def _reduction(op, call):
    if op not in reductions:
        raise errors.ValueError(
            f"distributed.{call}: there is no reduction {op!r}\n  fix  one of {', '.join(reductions)}"
        )
    return op


def _rank(number, call):
    group = _joined()
    if not isinstance(number, int) or not 0 <= number < group.size:
        raise errors.ValueError(f"distributed.{call}: there is no rank {number!r} among {group.size} processes")
    return number


def _summed(x, op):
    """A bool counts as a number where bools are added, and a mean is of floating-point numbers, as in NumPy."""
    if op in ("sum", "prod") and x.dtype == bool:
        return x.astype("int64")
    if op == "mean" and x.dtype.kind in "biu":
        return x.astype("float64")
    return x


def all_reduce(x, op="sum"):
    """Each element combined over all processes: a new array of x's shape, the same in all.

    x: an array of the same shape and dtype in all processes. op: "sum", "prod", "min", "max" or "mean". A bool is summed
    as int64, the mean of integers is float64, NaN stays NaN. Raises ValueError if shapes or dtypes differ.

    >>> ks.distributed.all_reduce(ks.array([1, 2]), "sum")
    array([1, 2])
    """
    op = _reduction(op, "all_reduce")
    x = _summed(_array(x, "all_reduce"), op)
    total = _joined().of(x).all_reduce(x, "sum" if op == "mean" else op)
    return total / size() if op == "mean" else total


def reduce_scatter(x, op="sum"):
    """The part of all_reduce() that is this process's: x's first axis is cut into size() parts, in rank order.

    x: an array of the same shape and dtype in all processes, whose first axis has a multiple of size() elements, else
    ValueError. Returns an array of shape (x.shape[0] / size(), *x.shape[1:]).

    >>> ks.distributed.reduce_scatter(ks.array([1, 2]), "sum")
    array([1, 2])
    """
    op = _reduction(op, "reduce_scatter")
    x = _summed(_array(x, "reduce_scatter"), op)
    n = size()
    if x.ndim == 0 or x.shape[0] % n:
        raise errors.ValueError(
            f"distributed.reduce_scatter: the first axis of shape {x.shape} cannot be cut into {n} equal parts"
        )
    part = _joined().of(x).reduce_scatter(x, "sum" if op == "mean" else op)
    return part / n if op == "mean" else part


def all_gather(x):
    """The arrays of all processes, stacked in rank order: shape (size(), *x.shape), the same in all.

    x: an array of the same shape and dtype in all processes, else ValueError.

    >>> ks.distributed.all_gather(ks.array([1, 2]))
    array([[1, 2]])
    """
    x = _array(x, "all_gather")
    return _joined().of(x).all_gather(x)


def broadcast(x, root=0):
    """The array of the process `root`, in all. x: an array; in other processes than the root only its device counts,
    on a GPU also its shape and dtype, which are the root's.

    >>> ks.distributed.broadcast(ks.array([1, 2]), 0)
    array([1, 2])
    """
    root = _rank(root, "broadcast")
    x = _array(x, "broadcast")
    return _joined().of(x).broadcast(x, root)


def send(x, to):
    """Sends an array to the process `to`, which calls recv() with this process's rank. Returns None.

    >>> if ks.distributed.size() > 1:
    ...     ks.distributed.send(ks.ones(3), 1)
    """
    to = _rank(to, "send")
    x = _array(x, "send")
    group = _joined()
    if to == group.rank:
        raise errors.ValueError("distributed.send: a process does not send to itself")
    group.of(x).send(x, to)


def recv(source):
    """The array that the process `source` sends, on the kind of device that it lay on there.

    >>> if ks.distributed.size() > 1:
    ...     x = ks.distributed.recv(0)
    """
    source = _rank(source, "recv")
    group = _joined()
    if source == group.rank:
        raise errors.ValueError("distributed.recv: a process does not receive from itself")
    return group.recv(source)


def barrier():
    """Waits until all processes are here. Returns None.

    >>> ks.distributed.barrier()
    """
    _joined().barrier()
