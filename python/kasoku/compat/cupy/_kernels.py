"""cupy.ElementwiseKernel and the like: the engine's kernels, with the attributes that CuPy's have."""

import collections
import contextlib
import re

import kasoku as ks
from kasoku import _core

from .. import says_what_is_missing
from . import cuda

ParameterInfo = collections.namedtuple("ParameterInfo", "name ctype raw is_const dtype")


def _parameters(text):
    """ParameterInfo of "raw T x, float32 y"."""
    found = []
    for one in filter(None, (part.strip() for part in text.split(","))):
        *words, name = one.split()
        found.append(ParameterInfo(name, words[-1], "raw" in words, "const" in words, None))
    return tuple(found)


class _Parameters:
    in_params = property(lambda self: _parameters(self._in))
    out_params = property(lambda self: _parameters(self._out))
    params = property(lambda self: self.in_params + self.out_params)
    nin = property(lambda self: len(self.in_params))
    nout = property(lambda self: len(self.out_params))
    nargs = property(lambda self: self.nin + self.nout)
    cached_codes = property(lambda self: {k: text for k, text in enumerate(self.texts())})
    _cached_codes = cached_codes

    @property
    def cached_code(self):
        """The only text that was generated."""
        texts = self.texts()
        if len(texts) > 1:
            import warnings

            warnings.warn("several texts were generated: see cached_codes", stacklevel=2)
        return texts[0] if texts else ""

    def _keep(self, in_params, out_params, name, **others):
        if not name.isidentifier():
            raise ValueError(f"Invalid kernel name: {name!r} is not a C++ name")
        self._in, self._out = in_params, out_params
        for key, value in others.items():
            setattr(self, key, value)


def _with_parameters(cls):
    """Gives the class _Parameters' members: the engine's classes allow no second base."""
    for name, value in vars(_Parameters).items():
        if not name.startswith("__"):
            setattr(cls, name, value)
    return cls


@says_what_is_missing("cupy.ElementwiseKernel")
@_with_parameters
class ElementwiseKernel(ks.ElementwiseKernel):
    """A kernel from the text of one element: see ks.ElementwiseKernel."""

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True,
                 preamble="", no_return=False, return_tuple=False, options=(), loop_prep="",
                 after_loop="", doc=None, **kwargs):  # fmt: skip
        told = {"reduce_dims": reduce_dims, "no_return": no_return, "return_tuple": return_tuple}
        self._keep(in_params, out_params, name, **told, kwargs=kwargs)
        if doc is not None:
            self.__doc__ = doc
        super().__init__(
            in_params=in_params, out_params=out_params, operation=operation, name=name, preamble=preamble,
            options=tuple(options), loop_prep=loop_prep, after_loop=after_loop, device=cuda.current(), **told,
        )  # fmt: skip

    __call__ = _core._in_face(ks.ElementwiseKernel.__call__)


@says_what_is_missing("cupy.ReductionKernel")
@_with_parameters
class ReductionKernel(ks.ReductionKernel):
    """A reduction from text: see ks.ReductionKernel."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity=None,
                 name="reduce_kernel", reduce_type=None, reduce_dims=True, preamble="", options=()):  # fmt: skip
        told = {"map_expr": map_expr, "reduce_expr": reduce_expr, "post_map_expr": post_map_expr, "reduce_type": reduce_type,
                "reduce_dims": reduce_dims, "preamble": preamble}  # fmt: skip
        self._keep(in_params, out_params, name, **told, identity=identity, options=options)
        super().__init__(
            in_params=in_params, out_params=out_params, name=name, identity=None if identity is None else str(identity),
            options=tuple(options), device=cuda.current(), **told,
        )  # fmt: skip

    __call__ = _core._in_face(ks.ReductionKernel.__call__)


class _NotFound(ks.errors.DeviceError, ks.errors.ValueError):
    """A module has no kernel or variable of that name."""


class _FileNotFound(ks.errors.DeviceError, ks.errors.OSError):
    """A module's file cannot be read."""


_drivers_errors = {
    ks.errors.ValueError: (_NotFound, "CUDA_ERROR_NOT_FOUND: named symbol not found"),
    ks.errors.OSError: (_FileNotFound, "CUDA_ERROR_FILE_NOT_FOUND: file not found"),
}


@contextlib.contextmanager
def _as_the_drivers(of):
    """Errors of the engine's as CUDA's drivers name them: the class is both CUDADriverError and the engine's."""
    try:
        yield
    except of as error:
        kind, name = _drivers_errors[of]
        first, *rest = str(error).split("\n")
        raise kind("\n".join([f"{first} ({name})", *rest])) from None


@says_what_is_missing("cupy.RawModule")
class RawModule(ks.RawModule):
    """CUDA C++ text: see ks.RawModule."""

    def __init__(self, *, code=None, path=None, options=(), backend="nvrtc", translate_cucomplex=False,
                 enable_cooperative_groups=False, name_expressions=None, jitify=False):  # fmt: skip
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        _check_backend(backend, name_expressions, options, path)
        _told(self, backend, enable_cooperative_groups, path)
        self.name_expressions = name_expressions
        code, options = _translated(code, options, translate_cucomplex)
        with _as_the_drivers(ks.errors.OSError):
            super().__init__(code=code, path=path, options=options, name_expressions=name_expressions)

    def get_function(self, name):
        with _as_the_drivers(ks.errors.ValueError):
            kernel = super().get_function(name, device=cuda.current())
        kernel._leave_more_alone()
        return _told(kernel, self.backend, self.enable_cooperative_groups, self.file_path)

    def get_global(self, name):
        """The memory of a __device__ or __constant__ variable."""
        with _as_the_drivers(ks.errors.ValueError):
            array = super().get_global(name, device=cuda.current())
        return cuda.MemoryPointer(cuda.ArrayMemory(array), 0)

    def get_texref(self, name):
        raise ks.errors.UnsupportedError(f"references to textures are not supported: {name}")

    module = property(lambda self: self)


@says_what_is_missing("cupy.RawKernel")
class RawKernel(ks.RawKernel):
    """One kernel of CUDA C++ text: see ks.RawKernel."""

    def __init__(self, code, name, options=(), backend="nvrtc", translate_cucomplex=False, *,
                 enable_cooperative_groups=False, jitify=False):  # fmt: skip
        _check_backend(backend, None, options, None)
        _told(self, backend, enable_cooperative_groups, None)
        code, options = _translated(code, options, translate_cucomplex)
        super().__init__(code, name, options=options, device=cuda.current())
        self._leave_more_alone()

    kernel = property(lambda self: self)


def _check_backend(backend, name_expressions, options, path):
    if backend not in ("nvrtc", "nvcc"):
        raise ValueError(f"the backend is nvrtc or nvcc, not {backend!r}")
    if isinstance(options, str) or not isinstance(options, (tuple, list)):
        raise TypeError("options are a tuple of strings")
    if name_expressions is not None:
        if backend != "nvrtc":
            raise ValueError("name_expressions need the backend nvrtc")
        if path is not None:
            raise ValueError("name_expressions need the text, not a path")


# `translate_cucomplex`: what <cuComplex.h> declares, as complex<T> has it, so that types may be mixed.
_cu_complex = {
    "cuComplex": "complex<float>", "cuFloatComplex": "complex<float>", "cuDoubleComplex": "complex<double>",
    "make_cuComplex(x,y)": "complex<float>(x,y)", "make_cuFloatComplex(x,y)": "complex<float>(x,y)",
    "make_cuDoubleComplex(x,y)": "complex<double>(x,y)", "cuComplexFloatToDouble(z)": "complex<double>(z)",
    "cuComplexDoubleToFloat(z)": "complex<float>(z)",
} | {
    name.replace("(", f"{of_float}(", 1): text
    for of_float in ("", "f")
    for name, text in {
        "cuCreal(z)": "((z).real())", "cuCimag(z)": "((z).imag())", "cuConj(z)": "conj(z)", "cuCabs(z)": "abs(z)",
        "cuCadd(x,y)": "((x)+(y))", "cuCsub(x,y)": "((x)-(y))", "cuCmul(x,y)": "((x)*(y))", "cuCdiv(x,y)": "((x)/(y))",
        "cuCfma(x,y,z)": "((x)*(y)+(z))",
    }.items()
}  # fmt: skip


def _translated(code, options, translates):
    if not translates or code is None:
        return code, tuple(options)
    code = re.sub(r"#(\s*)include(\s*)<cuComplex\.h>", r"#\1include\2<cupy/complex.cuh>", code)
    return code, tuple(options) + tuple(f"-D{name}={text}" for name, text in _cu_complex.items())


def _linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None):
    """Launches a thread for each of `size` elements, in blocks of at most `block_max_size`."""
    block = max(1, min(block_max_size, size))
    self((-(-size // block),), (block,), tuple(args), shared_mem=shared_mem, **({"stream": stream} if stream else {}))


ks.RawKernel.linear_launch = _linear_launch


def _told(text, backend, enable_cooperative_groups, path):
    """The module or kernel, with what its constructor was told."""
    text.backend, text.enable_cooperative_groups, text.file_path = backend, enable_cooperative_groups, path
    return text
