"""tf.config: which devices there are; thread numbers are KASOKU_NUM_THREADS' business."""

from collections import namedtuple as _namedtuple

import kasoku as ks

from .._face.table import modules as _modules, plain as _plain

PhysicalDevice = _namedtuple("PhysicalDevice", "name device_type")
LogicalDevice = PhysicalDevice


def list_physical_devices(device_type=None):
    found = []
    for device in ks.devices():
        kind, _, index = str(device).partition(":")
        kind = {"cuda": "GPU", "cpu": "CPU"}.get(kind)
        if kind and device_type in (None, kind):
            found.append(PhysicalDevice(f"/physical_device:{kind}:{index or 0}", kind))
    return found


list_logical_devices = list_physical_devices


_plain(globals(), {
    "set_visible_devices": (lambda devices, device_type=None: None,
        "Accepted; ks.default_device and KASOKU_DEVICE choose the device."),
    "run_functions_eagerly": (lambda run_eagerly: None, "Accepted: results are the same either way."),
    "set_soft_device_placement": (lambda enabled: None, "Accepted."),
})  # fmt: skip


_modules(__name__, {
    "threading": ("accepted; KASOKU_NUM_THREADS sets the pool's size before the start.", {
        **{f"set_{of}_op_parallelism_threads": lambda num_threads: None for of in ("intra", "inter")},
        **{f"get_{of}_op_parallelism_threads": lambda: 0 for of in ("intra", "inter")}}),
    "experimental": ("accepted: the pool grows and shrinks anyway.", {"set_memory_growth": lambda device, enable: None}),
})  # fmt: skip
