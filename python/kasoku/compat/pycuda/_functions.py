"""What pycuda.driver's functions had before launches took their arguments: shape and parameters are set
one by one, then launch() or launch_grid(). PyCUDA still documents it, as deprecated."""

import kasoku as ks

from .._face.table import methods as _methods
from ._errors import LogicError as _LogicError


def _launch(self, width=1, height=1, stream=None):
    if not hasattr(self, "_block"):
        raise _LogicError(f"{self.name}: set_block_shape(x, y, z) comes before a launch")
    parameters = self.__dict__.get("_parameters", {})
    arguments = [parameters[offset] for offset in sorted(parameters)]
    self(*arguments, block=self._block, grid=(width, height), shared=getattr(self, "_shared", 0), stream=stream)


def _set(self, offset, value):
    self.__dict__.setdefault("_parameters", {})[offset] = value


Function = _methods(ks.RawKernel, {
    "set_block_shape": (lambda self, x, y, z: setattr(self, "_block", (x, y, z)), "The block of the launches that follow."),
    "param_set": (lambda self, *args: setattr(self, "_parameters", dict(enumerate(args))),
        "All arguments of the launches that follow."),
    "param_seti": (_set, "The argument at that byte of the parameters; its type is the declaration's."),
    "param_set_size": (lambda self, bytes: None, "The size follows from the declaration."),
    "param_set_texref": (lambda self, texref: None, "A texture reference is bound where it gets its array."),
    "set_shared_config": (lambda self, config: None, "A hint that nothing needs."),
    "launch_grid_async": (_launch, "Launches a grid of width * height blocks."),
    "launch_grid": (lambda self, width, height: _launch(self, width, height), "Launches a grid of width * height blocks."),
    "launch": (lambda self: _launch(self), "Launches one block."),
})  # fmt: skip
Function.param_setf = Function.param_seti
