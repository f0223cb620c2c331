"""cupy.cuda.cufft: plans of transforms. The engine plans its own: a plan here remembers what it was made for."""

import threading

CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1
_current = threading.local()


class Plan:
    """What a transform may be given, or what may be current (`with plan`); it changes nothing of what is computed."""

    def __init__(self, shape, axes, value_type):
        self.shape, self.axes, self.value_type = shape, axes, value_type

    def __enter__(self):
        if get_current_plan() is not None:
            raise RuntimeError("a plan is current already")
        _current.plan = self
        return self

    def __exit__(self, *_):
        _current.plan = None


def get_current_plan():
    """The plan of the innermost `with`, or None."""
    return getattr(_current, "plan", None)
