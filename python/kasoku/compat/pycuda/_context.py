"""Devices and contexts of pycuda.driver."""

import threading

import kasoku as ks

from .. import missing as _missing, preferred_device as _preferred_device
from .. import says_what_is_missing as _says_what_is_missing
from ...cuda._facts import cuda_attributes as _cuda_attributes
from .._face.table import methods as _methods, plain as _plain
from ._errors import LogicError
from ._flags import func_cache, shared_config


_current = None


class _Contexts(threading.local):
    """The contexts of the calling thread, the current one last."""

    def __init__(self):
        self.stack = []


_contexts = _Contexts()


def _device():
    """The device of the thread's current context; without one KASOKU_DEVICE, else a GPU if there is one, else the CPU."""
    global _current
    if _contexts.stack:
        return _contexts.stack[-1]._of._device
    _current = _current or _preferred_device()
    return _current


_plain(globals(), {
    "init": (lambda flags=0: None, "Nothing is to be initialised."),
    "get_version": lambda: (13, 0, 0),
    "get_driver_version": lambda: 13000,
    "was_context_created": lambda: True,
})  # fmt: skip


def _devices():
    kind = _device().kind
    return [d for d in ks.devices() if d.kind == kind]


class _Attributes(str):
    """An attribute by name, as device_attribute.WARP_SIZE."""


class _Names(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Attributes(name)


_owners = {"device_attribute": "Device", "function_attribute": "Function", "pointer_attribute": "a pointer"}
device_attribute, function_attribute, pointer_attribute = (
    _Names(name, (), {"__module__": __name__, "__doc__": f"Names of {owner}.get_attribute()."})
    for name, owner in _owners.items()
)


class Device:
    """A device by number; `Device.count()` says how many there are."""

    def __init__(self, number):
        if isinstance(number, str):
            number = 0
        found = _devices()
        if not 0 <= number < len(found):
            raise LogicError(f"there is no device {number}; there are {len(found)}")
        self._device = found[number]
        self._number = int(number)

    count = staticmethod(lambda: len(_devices()))

    def get_attribute(self, name):
        attributes = self.get_attributes()
        if str(name) not in attributes:
            raise LogicError(f"the device attribute {name} is not known here")
        return attributes[str(name)]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.get_attribute(name.upper())
        except LogicError:
            raise AttributeError(_missing(f"pycuda.driver.Device.{name}")) from None

    def make_context(self, flags=0):
        """A context, which is the thread's current one from here on."""
        context = Context(self)
        context.push()
        return context


_methods(Device, {
    "__eq__": lambda self, other: isinstance(other, Device) and self._number == other._number,
    "__hash__": lambda self: hash(self._number),
    "__repr__": lambda self: f"<pycuda.driver.Device {self._number}: {self.name()}>",
    "get_attributes": lambda self: {
        _Attributes(name): value for name, value in _cuda_attributes(self._device).items()},
    "name": lambda self: self._device.properties["name"],
    "compute_capability": lambda self: tuple(self._device.properties["compute_capability"]),
    "total_memory": lambda self: self._device.properties["total_memory"],
    "pci_bus_id": lambda self: f"0000:{self._number:02x}:00.0",
    "can_access_peer": lambda self, other: self._device.can_reach(other._device),
    "retain_primary_context": lambda self: Context(self),
})  # fmt: skip


@_says_what_is_missing("pycuda.driver.Context")
class Context:
    """Says on which device the thread's memory and kernels are; every thread may use every device, with a context or without."""

    def __init__(self, device):
        self._of = device

    def push(self):
        _contexts.stack.append(self)

    def detach(self):
        if _contexts.stack and _contexts.stack[-1] is self:
            _contexts.stack.pop()

    def attach(self, flags=0):
        return self

    pop = staticmethod(lambda: _contexts.stack.pop() if _contexts.stack else None)
    get_current = staticmethod(lambda: _contexts.stack[-1] if _contexts.stack else Context(Context.get_device()))
    get_device = staticmethod(lambda: Device(_device().index if _device().kind == "cuda" else 0))
    synchronize = staticmethod(lambda: _device().synchronize())
    get_api_version = staticmethod(lambda: 13000)
    set_limit = staticmethod(lambda which, value: None)
    get_limit = staticmethod(lambda which: 0)
    set_cache_config = set_shared_config = staticmethod(lambda config: None)
    get_cache_config = staticmethod(lambda: func_cache.PREFER_NONE)
    get_shared_config = staticmethod(lambda: shared_config.DEFAULT_BANK_SIZE)

    @staticmethod
    def enable_peer_access(peer, flags=0):
        raise LogicError("peer access between devices is not supported, so none can be enabled or disabled")

    disable_peer_access = enable_peer_access
