"""cupy.cuda.Device, and on which device the thread's new arrays are."""

import functools
import threading

import kasoku as ks

from ... import preferred_device, says_what_is_missing
from ....cuda._facts import cupy_attributes
from ..._face.table import bound as _bound, plain as _plain


class CUDARuntimeError(RuntimeError):
    """An error of CUDA's runtime, with its number."""

    def __init__(self, status, text=""):
        self.status = status
        super().__init__(text or f"cudaError {status}")

    __reduce__ = lambda self: (type(self), (self.status, str(self)))


CUDARuntimeError.__module__ = f"{__package__}.runtime"


class Scopes(threading.local):
    """Of the calling thread: what is current within blocks, and what use() said."""

    def __init__(self):
        self.stack, self.used = [], None


_scopes = Scopes()


def current():
    """The engine's device that new arrays are made on."""
    return _scopes.stack[-1] if _scopes.stack else _scopes.used or preferred_device()


def devices():
    """The devices that have a number here: all GPUs, or the CPU alone."""
    kind = current().kind
    return [d for d in ks.devices() if d.kind == kind]


@says_what_is_missing("cupy.cuda.Device")
@functools.total_ordering
class Device:
    """A GPU by its number; without one, the CPU is device 0."""

    def __init__(self, device=None):
        if device is None:
            self._device = current()
            self.id = self._device.index if self._device.kind == "cuda" else 0
            return
        if isinstance(device, (Device, ks.Device)):
            device = device.id if isinstance(device, Device) else device.index
        self.id, found = int(device), devices()
        self._device = found[self.id] if 0 <= self.id < len(found) else None

    def _get(self):
        if self._device is None:
            raise CUDARuntimeError(101, f"there is no device {self.id}; there are {len(devices())}")
        return self._device

    def synchronize(self):
        ks.synchronize(self._get())

    def use(self):
        _scopes.used = self._get()
        return self

    compute_capability = property(lambda self: "".join(map(str, self._get().properties["compute_capability"])))
    mem_info = property(lambda self: tuple(self._get().memory[name] for name in ("free", "total")))
    pci_bus_id = property(lambda self: self._get() and f"0000:{self.id:02X}:00.0")
    attributes = property(lambda self: cupy_attributes(self._get()))

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        for index in range(len(devices())):
            if cls(index).pci_bus_id == str(pci_bus_id).upper():
                return cls(index)
        raise CUDARuntimeError(101, f"cudaErrorInvalidDevice: no device has the PCI bus id {pci_bus_id!r}")

    __int__ = __index__ = lambda self: self.id

    def _number(self, other):
        if isinstance(other, Device):
            return other.id
        if isinstance(other, ks.Device):
            return other.index if other.kind == current().kind else None
        return None  # a number is no device

    __eq__ = lambda self, other: self.id == self._number(other)

    def __lt__(self, other):
        number = self._number(other)
        return NotImplemented if number is None else self.id < number

    __hash__ = lambda self: hash(self.id)
    __repr__ = lambda self: f"<CUDA Device {self.id}>"

    def __enter__(self):
        _scopes.stack.append(self._get())
        return self

    def __exit__(self, *_):
        _scopes.stack.pop()


def _extend():
    """Gives the engine's class, which an array's `device` is, what cupy's has."""

    said = "cupy.cuda.Device.{} of this device."
    for name in ("id", "attributes", "compute_capability", "mem_info", "pci_bus_id"):
        setattr(ks.Device, name, property(lambda self, name=name: getattr(Device(self), name), doc=said.format(name)))
    for name in ("use", "__enter__", "__exit__", "__int__"):
        asked = _bound(lambda self, *args, name: getattr(Device(self), name)(*args), name=name)
        asked.__doc__ = said.format(name)
        setattr(ks.Device, name, asked)


_extend()


def get_cublas_handle():
    raise ks.errors.UnsupportedError("cupy.cuda.get_cublas_handle: kasoku gives out no handles")


_plain(globals(), {
    "get_device_id": lambda: Device().id, "get_compute_capability": lambda: Device().compute_capability,
})  # fmt: skip
