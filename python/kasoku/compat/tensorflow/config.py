"""tf.config: which devices there are; thread numbers are KASOKU_NUM_THREADS' business."""

from collections import namedtuple as _namedtuple

import kasoku as ks

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


def set_visible_devices(devices, device_type=None):
    """Accepted; ks.default_device and KASOKU_DEVICE choose the device."""


def run_functions_eagerly(run_eagerly):
    """Accepted: results are the same either way."""


def set_soft_device_placement(enabled):
    """Accepted."""


class threading:  # noqa: N801 - TensorFlow's module name
    @staticmethod
    def set_intra_op_parallelism_threads(count):
        """Accepted; KASOKU_NUM_THREADS sets the pool's size before the start."""

    set_inter_op_parallelism_threads = set_intra_op_parallelism_threads

    @staticmethod
    def get_intra_op_parallelism_threads():
        return 0

    get_inter_op_parallelism_threads = get_intra_op_parallelism_threads


class experimental:  # noqa: N801 - TensorFlow's module name
    @staticmethod
    def set_memory_growth(device, enable):
        """Accepted: the pool grows and shrinks anyway."""
