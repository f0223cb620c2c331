"""Functions of arrays that have to be Python: one that pickle finds by its name."""

from . import _core


def rebuild(values, dtype, device):
    """A pickled array on its device, or on the cpu where that device is missing."""
    if not device.startswith("cpu") and not _core.has_device(device):
        device = "cpu"
    return _core.array(values, dtype, device)
