"""Libraries that know arrays by their classes alone are told of ours when a program imports them."""

import importlib.util
import sys


class AfterImport:
    """Calls `then` with a module once somebody has imported it, or now if it is there."""

    def __init__(self, name, then):
        self.name, self.then = name, then
        if name in sys.modules:
            then(sys.modules[name])
        else:
            sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.then(module)

        spec.loader.exec_module = exec_module
        return spec


_told = []


def tell_einops(backends):
    """einops looks for subclasses of its AbstractBackend."""
    import kasoku as ks

    class Backend(backends.AbstractBackend):
        framework_name = "kasoku"
        from_numpy, to_numpy = staticmethod(ks.array), staticmethod(ks.asnumpy)
        arange, einsum = staticmethod(ks.arange), staticmethod(ks.einsum)
        stack_on_zeroth_dimension, tile = staticmethod(ks.stack), staticmethod(ks.tile)
        concat, add_axis = staticmethod(ks.concatenate), staticmethod(ks.expand_dims)

        def is_appropriate_type(self, tensor):
            return isinstance(tensor, ks.Array)

        def is_float_type(self, x):
            return "float" in str(x.dtype)

    _told.append(Backend)  # einops holds it weakly


AfterImport("einops._backends", tell_einops)
