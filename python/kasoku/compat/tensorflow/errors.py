"""tf.errors, as far as kasoku raises them."""


class OpError(Exception):
    """What TensorFlow's operations raise."""

    @property
    def message(self):
        return str(self)


class InvalidArgumentError(OpError, ValueError):
    """Operands that do not fit."""


class UnimplementedError(OpError, NotImplementedError):
    """An operation that kasoku does not have."""


class ResourceExhaustedError(OpError, MemoryError):
    """Out of memory."""


class OutOfRangeError(OpError):
    """Past an end."""


class FailedPreconditionError(OpError):
    """Something is not as it has to be."""


class InternalError(OpError):
    """An error of kasoku's own."""


class NotFoundError(OpError):
    """Something named is not there."""
