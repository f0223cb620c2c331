"""torch.nn has its functions here; modules need gradients."""

from . import functional  # noqa: F401
