"""What pycuda.driver's functions had before launches took their arguments: shape and parameters are set
one by one, then launch() or launch_grid(). PyCUDA still documents it, as deprecated."""

import kasoku as ks

from ._errors import LogicError

Function = ks.RawKernel


def set_block_shape(self, x, y, z):
    """The block of the launches that follow."""
    self._block = (x, y, z)


def param_set(self, *args):
    """All arguments of the launches that follow."""
    self._parameters = dict(enumerate(args))


def param_seti(self, offset, value):
    """The argument at that byte of the parameters; its type is the declaration's."""
    self.__dict__.setdefault("_parameters", {})[offset] = value


def param_set_size(self, bytes):
    """The size follows from the declaration."""


def param_set_texref(self, texref):
    """A texture reference is bound where it gets its array."""


def set_shared_config(self, config):
    """A hint that nothing needs."""


def launch_grid_async(self, width, height, stream):
    """Launches a grid of width * height blocks."""
    if not hasattr(self, "_block"):
        raise LogicError(f"{self.name}: set_block_shape(x, y, z) comes before a launch")
    parameters = self.__dict__.get("_parameters", {})
    arguments = [parameters[offset] for offset in sorted(parameters)]
    self(*arguments, block=self._block, grid=(width, height), shared=getattr(self, "_shared", 0), stream=stream)


def launch_grid(self, width, height):
    """Launches a grid of width * height blocks."""
    launch_grid_async(self, width, height, None)


def launch(self):
    """Launches one block."""
    launch_grid_async(self, 1, 1, None)


for _one in (set_block_shape, param_set, param_seti, param_set_size, param_set_texref, set_shared_config,
             launch_grid_async, launch_grid, launch):  # fmt: skip
    setattr(Function, _one.__name__, _one)
Function.param_setf = param_seti
