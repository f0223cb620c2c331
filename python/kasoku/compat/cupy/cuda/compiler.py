"""cupy.cuda.compiler: the error of text that does not compile."""

import kasoku as ks

CompileException = ks.errors.CompileError


class JitifyException(Exception):
    pass


def is_valid_kernel_name(name):
    return isinstance(name, str) and name.isidentifier()
