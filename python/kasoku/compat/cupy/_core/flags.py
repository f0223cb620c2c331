"""cupy._core.flags: how elements lie, by name."""

from ..._layout import ArrayFlags


class Flags(ArrayFlags):
    """Flags of given values."""

    def __init__(self, c_contiguous, f_contiguous, owndata):
        self._values = {"c_contiguous": c_contiguous, "f_contiguous": f_contiguous, "owndata": owndata}

    c_contiguous = property(lambda self: self._values["c_contiguous"])
    f_contiguous = property(lambda self: self._values["f_contiguous"])
    owndata = property(lambda self: self._values["owndata"])
