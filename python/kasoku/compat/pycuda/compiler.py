"""pycuda.compiler: CUDA C++ text to modules, without nvcc."""

import kasoku as ks
from kasoku import _core

from .. import says_what_is_missing
from .._face.table import forwarding as _forwarding
from . import driver as _driver
from ._textures import texref_of

DEFAULT_NVCC_FLAGS = []


@says_what_is_missing("pycuda.compiler.SourceModule")
class SourceModule(_core.SourceModule):
    """A module from text; errors are pycuda.driver.CompileError with the user's line."""

    def __init__(self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None,
                 code=None, cache_dir=None, include_dirs=()):  # fmt: skip
        try:
            flags = [*DEFAULT_NVCC_FLAGS, *(options or [])]
            super().__init__(source, options=flags, include_dirs=list(include_dirs), device=_driver._device())
        except _driver.CompileError as error:
            # As PyCUDA's has it; there is no other program that would have a command line.
            error.msg, _, error.stderr = str(error).partition("\n")
            error.stdout, error.command_line = "", None
            raise

    def get_texref(self, name):
        """The texture reference of that name, a global `texture<…>` of the text."""
        return texref_of(self, name)

    def get_surfref(self, name):
        return _driver.SurfaceReference()


class DynamicModule:
    """Text in several pieces, linked into one module."""

    def __init__(self, nvcc="nvcc", link_options=None, keep=False, no_extern_c=False, arch=None,
                 code=None, cache_dir=None, include_dirs=(), message_handler=None,
                 log_verbose=False, cuda_libdir=None):  # fmt: skip
        self._texts, self._options, self._include_dirs = [], [], list(include_dirs)
        self._module = None

    def add_source(self, source, nvcc_options=None, name="kernel.ptx"):
        self._texts.append(source)
        self._options += nvcc_options or []
        return self

    def add_data(self, *args, **kwargs):
        raise ks.errors.UnsupportedError("only text can be added to a DynamicModule")

    add_file = add_data
    add_stdlib = lambda self, libname: self
    get_function, get_global = _forwarding("_module.get_function"), _forwarding("_module.get_global")

    def link(self):
        self._module = SourceModule("\n".join(self._texts), options=self._options, include_dirs=self._include_dirs)
        return self


class DynamicSourceModule(DynamicModule):
    """One text that is linked at once."""

    def __init__(self, source, nvcc="nvcc", options=None, *args, **kwargs):
        super().__init__(nvcc, None, *args, **kwargs)
        self.add_source(source, options)
        self.link()


def compile(source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None,
            cache_dir=None, include_dirs=(), target="cubin"):  # fmt: skip
    """The text itself, checked: driver.module_from_buffer() takes it."""
    SourceModule(source, options=options, include_dirs=include_dirs)
    return source.encode()
