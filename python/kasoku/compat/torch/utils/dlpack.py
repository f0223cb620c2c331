"""torch.utils.dlpack: tensors as capsules, and tensors of capsules or of what has __dlpack__."""

from .._creation import from_dlpack  # noqa: F401


def to_dlpack(tensor):
    return tensor.__dlpack__()
