"""Kernels written in Python: `@cuda.jit`, `kernel[grid, block](…)`."""

import functools

import numpy as np

from .. import _content, _core, _jit, _signature, _source, errors
from .._hints import check_options
from ._arrays import DeviceRecords
from ._driver import is_available


def _shape(given, what):
    lengths = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not 1 <= len(lengths) <= 3:
        raise ValueError(f"{what} must be a sequence of 1, 2 or 3 integers, got {lengths!r}")
    for n in lengths:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
            raise TypeError(f"{what} must be a sequence of integers, got {lengths!r}")
    return tuple(map(int, lengths))


_options = {
    "fastmath", "debug", "opt", "lineinfo", "max_registers", "link", "inline", "cache", "boundscheck",
    "extensions", "lto", "forceinline", "nopython", "fast_math", "launch_bounds",
}  # fmt: skip


class Kernel(_jit.Inspected):
    """A compiled kernel: `kernel[grid, block](arguments)`, `kernel[grid, block, stream, shared_bytes]`."""

    def __init__(self, function, signatures=(), **options):
        check_options(options, _options, "cuda.jit")
        if options.get("link"):
            raise errors.UnsupportedError("link= of cuda.jit is not there: kernels in C++ are ks.RawModule's")
        self.targetoptions, self._declared = options, signatures
        _source.remember(function)
        debug = bool(options.get("debug"))
        self.__kasoku_jit__ = _core._jit_make(function, False, bool(options.get("fastmath")), debug, debug, True, True)
        self.__kasoku_jit__._is_cuda = True
        functools.update_wrapper(self.__kasoku_jit__, function)
        self.py_func = function
        self.specializations = {}
        self.extensions = list(options.get("extensions") or ())
        self._native = _core._JitKernel(self.__kasoku_jit__)
        functools.update_wrapper(self, function)
        if signatures:
            _jit._declare(self.__kasoku_jit__, signatures)
            for given in signatures:
                args, result = _signature.describe(given)
                if result not in (None, ("none",)):
                    raise errors.TypeError("CUDA kernel must have void return type.")
                self._native.compile(args)

    __reduce__ = _content.reduce

    def __kasoku_parts__(self):
        return _again, (self.py_func, self._declared, self.targetoptions)

    def __getitem__(self, configuration):
        if not isinstance(configuration, tuple) or len(configuration) < 2:
            raise ValueError("must specify at least the griddim and blockdim")
        if len(configuration) > 4:
            raise ValueError(f"a launch shape is [grid, block, stream, shared memory], not {len(configuration)} values")
        return self.configure(*configuration)

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        return _Launch(self, _shape(griddim, "griddim"), _shape(blockdim, "blockdim"), stream, sharedmem)

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launch of one thread per task, with a block size of its own."""
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        return _ForAll(self, int(ntasks), tpb or 128, stream, sharedmem)

    def __call__(self, *args):
        raise errors.ValueError(
            f"{self.py_func.__name__}: the launch configuration was not specified\n"
            f"  fix  write {self.py_func.__name__}[blocks, threads](…)"
        )

    def _check(self, args, grid, block, shared):
        if block is None:
            raise errors.ValueError(
                f"check: {self.py_func.__name__} needs its launch shape\n"
                f"  fix  check({self.py_func.__name__}[1, 64], x), or block=64, grid=1"
            )
        return self._native.check(
            _shape(1 if grid is None else grid, "grid"), _shape(block, "block"), int(shared), args
        )

    # ── what was compiled ─────────────────────────────────────────────────────────────────

    @property
    def signatures(self):
        return [tuple(map(_signature.of_description, types)) for types in self._native.signatures()]

    @property
    def overloads(self):
        """{types of arguments: this kernel}."""
        return dict.fromkeys(self.signatures, self)

    def compile(self, signature):
        self._native.compile(_signature.describe(signature)[0])
        return self

    def specialize(self, *args):
        """A kernel for the types of these arguments alone; the same one for the same types."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        types = tuple(map(_signature.of_value, args))
        if types not in self.specializations:
            self.specializations[types] = Kernel(self.py_func, [types], **self.targetoptions)
        return self.specializations[types]

    specialized = property(lambda self: self.__kasoku_jit__._is_closed)

    def _figure(self, name, signature):
        found = dict(zip(self.signatures, self._native.attributes(name), strict=True))
        if signature is not None:
            return found[tuple(signature)]
        return next(iter(found.values())) if self.specialized else found

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """How many blocks of this shape run at once: the most that a launch may have that synchronises its grid."""
        threads = int(np.prod(_shape(blockdim, "blockdim"), dtype=np.int64))
        return min(self._native.blocks_at_once(threads, int(dynsmemsize)))

    @property
    def cooperative(self):
        """Whether a launch synchronises its grid."""
        return any("cooperative_groups::this_grid" in text for text in self.inspect_text().values())

    def get_regs_per_thread(self, signature=None):
        return self._figure("num_regs", signature)

    def get_const_mem_size(self, signature=None):
        return self._figure("const_size_bytes", signature)

    def get_shared_mem_per_block(self, signature=None):
        return self._figure("shared_size_bytes", signature)

    def get_max_threads_per_block(self, signature=None):
        return self._figure("max_threads_per_block", signature)

    def get_local_mem_per_thread(self, signature=None):
        return self._figure("local_size_bytes", signature)

    def _all_texts(self, form):
        return [text for _, text in self._native.texts(form)]

    def inspect_asm(self, signature=None):
        """{signature: PTX, or assembly on a CPU}."""
        return self._texts("ptx" if is_available() else "assembly", signature)

    def inspect_sass(self, signature=None):
        raise errors.UnsupportedError("machine code of a GPU cannot be shown\n  fix  use inspect_asm()")

    inspect_sass_cfg = inspect_sass


def _again(function, signatures, options):
    """A kernel as it was pickled."""
    return Kernel(function, signatures, **options)


def _native_stream(stream):
    return stream if hasattr(stream, "__enter__") else None


def look_at_launch(launch, args):
    """Called before each launch; a face puts a function in this one's place that warns of what is slow."""


class _Launch:
    def __init__(self, kernel, grid, block, stream, shared_bytes):
        self.kernel, self.grid, self.block = kernel, grid, block
        self.stream, self.shared_bytes = stream, int(shared_bytes or 0)

    # as Numba's programs ask for them
    dispatcher = property(lambda self: self.kernel)
    griddim = property(lambda self: self.grid + (1,) * (3 - len(self.grid)))
    blockdim = property(lambda self: self.block + (1,) * (3 - len(self.block)))
    sharedmem = property(lambda self: self.shared_bytes)

    def _check(self, args, grid, block, shared):
        return self.kernel._check(args, grid or self.grid, block or self.block, shared or self.shared_bytes)

    def __call__(self, *args):
        code = self.kernel.py_func.__code__
        defaults = self.kernel.py_func.__defaults__ or ()
        missing = code.co_argcount - len(args)
        if not 0 <= missing <= len(defaults):
            raise TypeError(f"{self.kernel.py_func.__name__} takes {code.co_argcount} arguments, not {len(args)}")
        args = [*args, *defaults[len(defaults) - missing :]] if missing else args
        for what, shape in (("grid", self.grid), ("block", self.block)):
            if min(shape) < 1:  # CUDA refuses it too; a launch for no tasks is forall(0)
                name = self.kernel.py_func.__name__
                raise errors.ValueError(
                    f"the {what} {shape} of kernel {name!r} is empty\n  fix  give it a length of 1 at least"
                )
        look_at_launch(self, args)
        bare, back, retrieve = [], [], []
        for arg in args:
            for extension in self.kernel.extensions:
                of = _signature.of_value(getattr(arg, "value", arg))
                _, arg = extension.prepare_args(of, arg, stream=self.stream, retr=retrieve)
            arg = arg.to(back) if getattr(arg, "_copies", None) else arg
            bare.append(arg.host_view if isinstance(arg, DeviceRecords) and not is_available() else arg)
        stream = _native_stream(self.stream)
        if stream is None:
            self.kernel._native.launch(self.grid, self.block, self.shared_bytes, tuple(bare))
        else:
            with stream:
                self.kernel._native.launch(self.grid, self.block, self.shared_bytes, tuple(bare))
        for host, device in back:
            device.copy_to_host(host)
        for write in retrieve:
            write()


class _ForAll:
    def __init__(self, kernel, ntasks, tpb, stream, sharedmem):
        self.kernel, self.ntasks, self.thread_per_block = kernel, ntasks, tpb
        self.stream, self.sharedmem = stream, sharedmem

    def __call__(self, *args):
        if self.ntasks:
            blocks = -(-self.ntasks // self.thread_per_block)
            self.kernel[blocks, self.thread_per_block, self.stream, self.sharedmem](*args)


def device_function(function, signatures=(), **options):
    """A function that kernels call."""
    _source.remember(function)
    made = _core._jit_make(function, False, bool(options.get("fastmath")), False, False, True, True)
    made._is_cuda = True
    functools.update_wrapper(made, function)
    if signatures:
        _jit._declare(made, signatures)
    return made


def jit(function_or_signature=None, device=False, **options):
    """Makes a kernel, or with device=True a function that kernels call.

    With debug=True a launch waits for the kernel and raises what the first thread to fail did: an index out of range, a
    division by zero, an assert, a raise.
    """
    given = function_or_signature
    if options.get("debug") and options.get("opt") is True:
        import warnings

        warnings.warn("debug=True with opt=True may not be supported", stacklevel=2)
    if isinstance(given, list):
        signatures = given
    elif given is not None and not callable(given) or _signature.is_signature(given):
        signatures = [given]
    else:
        signatures = []
    returns = signatures and _signature.signature(signatures[0])[1] not in (None, _signature.names["none"])
    if returns and not device and "device" not in options:
        raise errors.TypeError("CUDA kernel must have void return type.")

    def decorate(function):
        function = getattr(function, "py_func", function)
        return device_function(function, signatures, **options) if device else Kernel(function, signatures, **options)

    return decorate(given) if given is not None and not signatures else decorate
