"""torch.utils: exchange with other libraries."""

from . import dlpack  # noqa: F401
