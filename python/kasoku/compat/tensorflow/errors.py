"""tf.errors, as far as kasoku raises them."""


class OpError(Exception):
    """The error of TensorFlow's operations."""

    message = property(str)


for _name, (_python, _said) in {
    "InvalidArgumentError": ((ValueError,), "Operands that do not fit."),
    "UnimplementedError": ((NotImplementedError,), "An operation that kasoku does not have."),
    "ResourceExhaustedError": ((MemoryError,), "Out of memory."),
    "OutOfRangeError": ((), "Past an end."),
    "FailedPreconditionError": ((), "Something is not as it has to be."),
    "InternalError": ((), "An error of kasoku's own."),
    "NotFoundError": ((), "Something named is not there."),
}.items():
    globals()[_name] = type(_name, (OpError, *_python), {"__doc__": _said, "__module__": __name__})
