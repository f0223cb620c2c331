"""Which library reduces in CuPy. Here it is always the engine; the choice is remembered."""

ACCELERATOR_CUB, ACCELERATOR_CUTENSOR = 1, 2
_routine, _reduction = [], []


def get_routine_accelerators():
    return list(_routine)


def set_routine_accelerators(accelerators):
    _routine[:] = accelerators


def get_reduction_accelerators():
    return list(_reduction)


def set_reduction_accelerators(accelerators):
    _reduction[:] = accelerators
