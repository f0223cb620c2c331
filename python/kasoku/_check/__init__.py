"""kasoku.check: runs a call with every access watched, and says what no order separates.

Compiled code (jitted loops, CUDA kernels) is checked by an instrumented compile; plain Python functions
and delayed graphs by running their tasks one after another with every access to shared names, attributes,
items and arrays recorded. Either way the verdict does not depend on timing.
"""

from .._core import Finding
from .dispatch import check

__all__ = ["Finding", "check"]
