"""What functions with several results give: torch.return_types.max and the like."""

import collections
import functools


@functools.cache
def return_type(name, fields):
    """The class of this name, which prints as torch's does."""
    kind = collections.namedtuple(name, fields, module=__name__)

    def __repr__(self):
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    kind.__repr__ = kind.__str__ = __repr__
    globals()[name] = kind
    return kind
