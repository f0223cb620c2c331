"""The result types of functions with several results, torch.return_types.max and the like. They are made when they are
asked for.
"""

import functools

_places = "values indices"
_fields = {
    **dict.fromkeys("sort topk kthvalue median nanmedian mode max min cummax cummin".split(), _places),
    "aminmax": "min max", "histogram": "hist bin_edges", "frexp": "mantissa exponent", "svd": "U S V",
    "triangular_solve": "solution cloned_coefficient", "linalg_eig": "eigenvalues eigenvectors",
    "linalg_eigh": "eigenvalues eigenvectors", "linalg_slogdet": "sign logabsdet", "linalg_qr": "Q R",
    "linalg_svd": "U S Vh", "linalg_lu": "P L U", "linalg_lu_factor": "LU pivots", "linalg_lstsq": "solution residuals rank singular_values",
}  # fmt: skip


@functools.cache
def return_type(name):
    """The class of this name, which prints as torch's does."""
    import collections

    kind = collections.namedtuple(name, _fields[name], module=__name__)

    def __repr__(self):
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
        return f"torch.return_types.{name}(\n{parts})"

    kind.__repr__ = kind.__str__ = __repr__
    globals()[name] = kind
    return kind


def __getattr__(name):
    if name in _fields:
        return return_type(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__dir__ = lambda: [*_fields]
