"""cupy.cuda.compiler: the error of text that does not compile."""

import kasoku as ks

CompileException = ks.errors.CompileError


class JitifyException(Exception):
    pass


def is_valid_kernel_name(name):
    return isinstance(name, str) and name.isidentifier()


def _compile_module_with_cache(source, options=(), arch=None, cache_dir=None, extra_source=None, **ignored):
    """A module of kernel text."""
    from .._kernels import RawModule

    text = source if extra_source is None else extra_source + "\n" + source
    return RawModule(code=text, options=tuple(options))


compile_with_cache = _compile_module_with_cache
