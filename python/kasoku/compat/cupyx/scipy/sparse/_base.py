"""What all formats have: conversions from one to another, and parts."""

from .... import cupy as _cupy
from ...._face.table import methods as _methods
from ....cupy._arrays import stored as _stored
from ._algebra import Algebra as _Algebra
from ._given import axis_of as _axis_of, formats as _formats
from . import _parts
from ._parts import dtype_of as _dtype_of, in_order as _in_order
from ._reductions import Reductions as _Reductions


class spmatrix(_Algebra, _Reductions):
    """A matrix that keeps some of its elements; the others are 0."""

    ndim = 2
    format = "und"
    _made_of_arrays = True  # get_array_module() gives cupy for it
    __array_priority__ = 101
    __array_ufunc__ = None
    __hash__ = None

    def __init_subclass__(cls):
        if "format" in vars(cls):
            _formats.setdefault(cls.format, cls)
            _methods(cls, {f"to{cls.format}": lambda self, copy=False: self.copy() if copy else self})

    # ── what each format has ──
    def _triples(self):
        """Rows, columns and values of the kept elements."""
        raise NotImplementedError

    @classmethod
    def _of(cls, row, column, data, shape):
        """Made of elements, which are put in order and joined where they are at one place."""
        return _formats["coo"]((data, (row, column)), shape=shape).asformat(cls.format)

    def _with_data(self, data):
        """The same places with other values."""
        raise NotImplementedError

    dtype = property(lambda self: self.data.dtype)
    device = property(lambda self: self.data.device)
    nnz = size = property(lambda self: self.getnnz())
    shape = property(lambda self: self.get_shape())
    T = property(lambda self: self.transpose())
    H = property(lambda self: self.getH())
    A = property(lambda self: self.toarray())
    real = property(lambda self: self._with_data(self.data.real.copy()))
    imag = property(lambda self: self._with_data(self.data.imag.copy()))

    def getnnz(self, axis=None):
        """How many elements are kept, of all or in each row (axis=1) or column (axis=0)."""
        if axis is None:
            return int(self.data.size)
        row, column, _ = self._triples()
        axis = _axis_of(axis)
        return _cupy.bincount(row if axis else column, minlength=self.shape[1 - axis]).astype("int32")

    def __len__(self):
        raise TypeError("sparse matrix length is ambiguous; use getnnz()")

    def __bool__(self):
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().")

    def __str__(self):
        row, column, data = (x.get() for x in self._triples())
        return "\n".join(f"  {(int(i), int(j))}\t{x}" for i, j, x in zip(row, column, data))

    def __repr__(self):
        return f"<{self.shape[0]}x{self.shape[1]} sparse matrix of type '{self.dtype.type}'\n\twith {self.nnz} stored elements in {self.format} format>"

    # ── formats ──
    def asformat(self, format):
        if format is None or format == self.format:
            return self
        if format not in _formats:
            raise ValueError(f"no sparse matrix has the format {format!r}: coo, csr, csc or dia")
        return getattr(self, "to" + format)()

    def tocoo(self, copy=False):
        row, column, data = self._triples()
        return _formats["coo"]((data, (row, column)), shape=self.shape, copy=copy)

    def tocsr(self, copy=False):
        indptr, column, data = _parts.gathered_lines(*self._triples(), self.shape[0])
        return _formats["csr"]((data, column, indptr), shape=self.shape)

    def tocsc(self, copy=False):
        row, column, data = self._triples()
        indptr, row, data = _parts.gathered_lines(column, row, data, self.shape[1])
        return _formats["csc"]((data, row, indptr), shape=self.shape)

    def todia(self, copy=False):
        row, column, data = _in_order(*self._triples(), self.shape[1])
        offsets, number = _cupy.unique(column - row, return_inverse=True)
        diagonals = _cupy.zeros((offsets.size, int(column.max()) + 1 if column.size else 0), data.dtype)
        diagonals[number.ravel(), column] = data
        return _formats["dia"]((diagonals, offsets), shape=self.shape)

    def toarray(self, order=None, out=None):
        """The whole matrix, an array."""
        row, column, data = _in_order(*self._triples(), self.shape[1])
        result = _cupy.zeros(self.shape, self.dtype, order="C" if order is None else order)
        result[row, column] = data
        return _stored(result, out)

    todense = toarray

    def get(self, stream=None):
        """The matrix as SciPy's."""
        import scipy.sparse as sparse

        row, column, data = (x.get() for x in self._triples())
        return sparse.coo_matrix((data, (row, column)), shape=self.shape).asformat(self.format)

    def conj(self, copy=True):
        return self._with_data(self.data.conj()) if self.dtype.kind == "c" else self.copy() if copy else self

    conjugate = conj

    def transpose(self, axes=None, copy=False):
        must_have_no_axes(axes)
        row, column, data = self._triples()
        return _formats["coo"]((data, (column, row)), shape=self.shape[::-1], copy=copy)

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if len(shape) != 2:
            raise ValueError("a sparse matrix has two lengths")
        size = self.shape[0] * self.shape[1]
        shape = tuple(size // -(shape[0] * shape[1]) if n == -1 else int(n) for n in shape)
        if shape[0] * shape[1] != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        *places, data = self._triples()
        major, minor = (1, 0) if order == "F" else (0, 1)
        at = places[major].astype("int64") * self.shape[minor] + places[minor]
        places[major], places[minor] = (x.astype("int32") for x in divmod(at, max(shape[minor], 1)))
        return self._of(*places, data, shape)

    # ── parts ──
    def __getitem__(self, key):
        raise TypeError(f"a matrix in {self.format} format has no items: tocsr() has them")

    def __iter__(self):
        rows = self.tocsr()
        return (rows[i, :] for i in range(self.shape[0]))

    def setdiag(self, values, k=0):
        """Stores values on a diagonal."""
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            raise ValueError("k exceeds matrix dimensions")
        n = min(rows + min(k, 0), columns - max(k, 0))
        values = _cupy.asarray(values, dtype=self.dtype)
        values = _cupy.broadcast_to(values, (n,)) if values.ndim == 0 else values[:n]
        at = _cupy.arange(values.size, dtype="int32")
        self._store(at - min(k, 0), at + max(k, 0), values)

    def _store(self, row, column, values):
        """Elements in place of those that were there; of several for one place the last is kept."""
        width = self.shape[1]
        i, j, x = self._triples()
        count = i.size
        row, column = (_cupy.concatenate([old, new.astype("int32")]) for old, new in ((i, row), (j, column)))
        keys = row.astype("int64") * width + column
        data = _cupy.concatenate([x, values.astype(self.dtype)])
        # What is stored is the last of its place; kept elements that nothing is stored at are joined as they were.
        order = _cupy.argsort(keys, kind="stable")
        keys, data, is_new = keys[order], data[order], order >= count
        last = _cupy.concatenate([keys[1:] != keys[:-1], _cupy.ones(1, bool)]) if keys.size else _cupy.ones(0, bool)
        hidden = _cupy.isin(keys, keys[_cupy.flatnonzero(is_new & last)]) & ~(is_new & last)
        kept = _cupy.flatnonzero(~hidden)
        keys = keys[kept]
        row, column = (x.astype("int32") for x in (keys // max(width, 1), keys % max(width, 1)))
        self.__dict__.update(self._of(row, column, data[kept], self.shape).__dict__)

    def toDlpack(self):
        raise TypeError("a sparse matrix is no array")


def must_have_no_axes(axes):
    if axes is not None:
        raise ValueError(
            "Sparse matrices do not support an 'axes' parameter because swapping dimensions is the only logical permutation."
        )


def _elementwise(name):
    return lambda self: self._with_data(getattr(_cupy, name)(self.data)), f"{name} of the elements; it makes 0 of 0."


def _no_format(of, near):
    def method(self, *args, **kwargs):
        raise NotImplementedError(f"there is no format of {of}; {near} is near")

    return method


_methods(spmatrix, {
    "get_shape": lambda self: self._shape,
    "count_nonzero": lambda self: int((self.data != 0).sum()),
    "getformat": lambda self: self.format,
    "set_shape": lambda self, shape: self.__dict__.update(self.reshape(shape).__dict__),
    "asfptype": lambda self: self if self.dtype.kind in "fc" else self.astype("float64"),
    "getmaxprint": lambda self: 50,
    "tobsr": _no_format("blocks", "csr"),
    "todok": _no_format("dictionaries", "coo"),
    "tolil": _no_format("lists", "csr"),
    "copy": lambda self: self._with_data(self.data.copy()),
    "astype": lambda self, t: self._with_data(self.data.astype(_dtype_of(t))),
    "getH": lambda self: self.transpose().conj(),
    "getrow": lambda self, i: self.tocsr()[i, :],
    "getcol": lambda self, j: self.tocsr()[:, j],
} | {name: _elementwise(name) for name in """arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign
    sin sinh sqrt tan tanh trunc""".split()})  # fmt: skip
