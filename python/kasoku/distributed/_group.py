"""Collective operations: those of the host through messages, those of GPUs by NCCL."""

from __future__ import annotations

import numpy as np

import kasoku as ks

from .. import _core, errors

_combine = {"sum": ks.add, "prod": ks.multiply, "min": ks.minimum, "max": ks.maximum}
_few = 1 << 16  # bytes that are combined by all rather than each a part of them: one exchange instead of two


class Group:
    """This process's place. `carrier` has send, recv and swap of a header and bytes with another rank."""

    def __init__(self, backend, carrier, rank, size, local_rank):
        self.backend, self.rank, self.size, self.local_rank = backend, rank, size, local_rank
        self._carrier = carrier
        self._host, self._gpus = Host(carrier, rank, size), None

    def of(self, x):
        """The carrier of this array."""
        if self.size == 1:
            return Alone()
        if x.device.kind != "cuda":
            return self._host
        if self._gpus is None:
            self._gpus = Gpus(self._host, x.device)
        elif self._gpus.device != x.device:
            raise errors.ValueError(
                f"distributed: this process computes with others on {self._gpus.device}, and the array is on {x.device}"
            )
        return self._gpus

    def recv(self, source):
        header, data = self._carrier.recv(source)
        if header["call"] != "send":
            raise errors.ValueError(f"distributed.recv: rank {source} calls {header['call']} instead of send")
        if not header["on_gpu"]:
            return _read(header, data)
        into = ks.empty(tuple(header["shape"]), header["dtype"], device=ks.default_device())
        self.of(into).receive(into, source)
        return into

    def barrier(self):
        if self.size > 1:
            self._host.exchange({"call": "barrier"})

    def close(self):
        self._gpus = None
        if self._carrier is not None:
            self._carrier.close()


class Alone:
    """A group of one."""

    def all_reduce(self, x, op):
        return x.copy()

    reduce_scatter = all_reduce

    def broadcast(self, x, root):
        return x.copy()

    def all_gather(self, x):
        return x[None].copy()


def _described(call, x):
    return {"call": call, "shape": list(x.shape), "dtype": str(x.dtype), "on_gpu": False}


def _bytes(x):
    """The values of an array of the host, as bytes."""
    return memoryview(np.ascontiguousarray(x.numpy()).reshape(-1).view(np.uint8)) if x.nbytes else b""


def _message(call, x):
    data = _bytes(x)
    return {**_described(call, x), "bytes": len(data)}, data


def _read(header, data):
    kind = ks.empty(0, header["dtype"]).numpy().dtype
    return ks.array(np.frombuffer(data, kind).reshape(header["shape"]), dtype=header["dtype"], device="cpu")


class Host:
    """Arrays of the host. Elements are combined in the order of the ranks by the engine's operations."""

    def __init__(self, carrier, rank, size):
        self._carrier, self.rank, self.size = carrier, rank, size

    def exchange(self, header, data_for=lambda rank: b""):
        """Swaps with each other process: {rank: bytes}. In each round everybody has one partner, or rests."""
        got = {}
        for round_ in range(self.size):
            other = (round_ - self.rank) % self.size
            if other == self.rank:
                continue
            data = data_for(other)
            theirs, got[other] = self._carrier.swap(other, {**header, "bytes": len(data)}, data)
            if {**theirs, "bytes": 0} != {**header, "bytes": 0}:
                raise errors.ValueError(
                    f"distributed: rank {self.rank} calls {_spoken(header)}, rank {other} {_spoken(theirs)}"
                )
        return got

    def _combined(self, own, got, op, like):
        """The parts of all, in rank order."""
        parts = [own if rank == self.rank else _flat(got[rank], like) for rank in range(self.size)]
        total = parts[0]
        for part in parts[1:]:
            total = _combine[op](total, part)
        return total

    def all_reduce(self, x, op):
        header = _described(f"all_reduce {op}", x)
        flat = x.reshape(-1)
        if x.nbytes <= _few:
            data = _bytes(flat)
            return self._combined(flat, self.exchange(header, lambda rank: data), op, x).reshape(x.shape)
        cuts = [len(flat) * k // self.size for k in range(self.size + 1)]
        part = self._part(header, flat, cuts, op)
        data = _bytes(part)
        got = self.exchange({**header, "call": "all_reduce, second half"}, lambda rank: data)
        whole = np.empty(len(flat), flat.numpy().dtype)
        for rank in range(self.size):
            whole[cuts[rank] : cuts[rank + 1]] = (
                part.numpy() if rank == self.rank else np.frombuffer(got[rank], whole.dtype)
            )
        return _as_array(whole, x).reshape(x.shape)

    def _part(self, header, flat, cuts, op):
        pieces = [flat[cuts[k] : cuts[k + 1]] for k in range(self.size)]
        got = self.exchange(header, lambda rank: _bytes(pieces[rank]))
        return self._combined(pieces[self.rank], got, op, flat)

    def reduce_scatter(self, x, op):
        rows, flat = x.shape[0] // self.size, x.reshape(-1)
        each = len(flat) // self.size
        cuts = [each * k for k in range(self.size + 1)]
        part = self._part(_described(f"reduce_scatter {op}", x), flat, cuts, op)
        return part.reshape(rows, *x.shape[1:])

    def all_gather(self, x):
        data = _bytes(x)
        got = self.exchange(_described("all_gather", x), lambda rank: data)
        return ks.stack([x if rank == self.rank else _flat(got[rank], x).reshape(x.shape) for rank in range(self.size)])

    def broadcast(self, x, root):
        if self.rank != root:
            header, data = self._carrier.recv(root)
            if header["call"] != f"broadcast from {root}":
                raise errors.ValueError(f"distributed: rank {self.rank} calls broadcast, rank {root} {_spoken(header)}")
            return _read(header, data)
        for rank in range(self.size):
            if rank != root:
                self._carrier.send(rank, *_message(f"broadcast from {root}", x))
        return x.copy()

    def send(self, x, to):
        self._carrier.send(to, *_message("send", x))


def _spoken(header):
    return f"{header['call']} of {header['dtype']} {tuple(header['shape'])}" if "shape" in header else header["call"]


def _as_array(values, like):
    return ks.array(values, dtype=like.dtype, device="cpu")


def _flat(data, like):
    return _as_array(np.frombuffer(data, like.numpy().dtype) if len(data) else np.empty(0, like.numpy().dtype), like)


class Gpus:
    """Arrays of a GPU, from GPU to GPU by NCCL. What NCCL cannot combine itself (int16, bools, products of complex numbers)
    is gathered and combined by each."""

    def __init__(self, host, device):
        self.device, self._host, self._agreed = device, host, set()
        own = _core._nccl_id() if host.rank == 0 else b""
        if host.rank == 0:
            for rank in range(1, host.size):
                host._carrier.send(rank, {"call": "nccl", "bytes": len(own)}, own)
        else:
            header, own = host._carrier.recv(0)
            if header["call"] != "nccl":
                raise errors.ValueError(
                    f"distributed: rank {host.rank} has its array on {device}, rank 0 calls {_spoken(header)}"
                )
        self._group = _core._NcclGroup(device, bytes(own), host.rank, host.size)

    def _agree(self, call, x):
        """NCCL waits without end where processes do not call the same: before the first call of a kind they compare, and
        who compares alone hears nothing until the time is over."""
        header = {**_described(call, x), "on_gpu": True}
        if (kind := tuple(map(str, header.values()))) not in self._agreed:
            self._host.exchange(header)
            self._agreed.add(kind)

    def all_reduce(self, x, op):
        self._agree(f"all_reduce {op}", x)
        if self._group.can_reduce(x, op):
            return _with_nan(x, op, self._group.all_reduce)
        return _over_ranks(self.all_gather(x), op)

    def reduce_scatter(self, x, op):
        self._agree(f"reduce_scatter {op}", x)
        if self._group.can_reduce(x, op):
            return _with_nan(x, op, lambda part, op: self._group.reduce_scatter(part, op, self._host.size))
        rows = x.shape[0] // self._host.size
        return self.all_reduce(x, op)[self._host.rank * rows : (self._host.rank + 1) * rows].copy()

    def all_gather(self, x):
        self._agree("all_gather", x)
        return self._group.all_gather(x, self._host.size)

    def broadcast(self, x, root):
        self._agree(f"broadcast from {root}", x)
        return self._group.broadcast(x, root)

    def send(self, x, to):
        self._host._carrier.send(to, {**_described("send", x), "bytes": 0, "on_gpu": True})
        self._group.send(x, to)

    def receive(self, into, source):
        self._group.receive(into, source)


def _with_nan(x, op, reduce):
    """reduce(x, op). NCCL's largest and smallest float leave NaN out; where any process has one it is put back, as NumPy has it."""
    result = reduce(x, op)
    if op not in ("min", "max") or not ks.isdtype(x.dtype, "real floating"):
        return result
    return ks.where(reduce(ks.isnan(x).astype("uint8"), "max") != 0, ks.nan, result)


def _over_ranks(parts, op):
    total = parts[0]
    for k in range(1, len(parts)):
        total = _combine[op](total, parts[k])
    return total
