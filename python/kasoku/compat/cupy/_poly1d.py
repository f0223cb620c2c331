"""cupy.poly1d: ks's, with coefficients that are arrays of this package."""

import numpy as np

import kasoku as ks
from kasoku import _core

from . import _util, cuda


class poly1d(ks.poly1d):
    """A polynomial of one variable: see ks.poly1d. What is no array yet comes to the current device."""

    @_core._in_face
    def __init__(self, c_or_r, r=False, variable=None):
        with _core._device_scope(cuda.current()):
            super().__init__(c_or_r, r, variable)

    def get(self, stream=None, order="C", out=None):
        """The polynomial as NumPy's; `out`: one whose coefficients are set."""
        if out is None:
            return np.poly1d(self.coeffs.get(stream, order), variable=self.variable)
        out.__init__(self.coeffs.get(stream, order), variable=self.variable)
        return out

    def set(self, polyin, stream=None):
        """Takes the coefficients and the variable of one of NumPy's."""
        if not isinstance(polyin, np.poly1d):
            raise TypeError(f"only a numpy.poly1d can be set, not a {type(polyin).__name__}")
        self.__init__(polyin)


_util.inherit(poly1d, ("roots", "r"))
