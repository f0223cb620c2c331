"""Tests of two operands that the faces share, and the engine's names of operators and functions."""

import kasoku as ks

arithmetic = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift",
    "rshift": "right_shift",
}  # fmt: skip
comparisons = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip


def engine_names(names):
    """A package's name -> the engine's of the operation: ks's of that name, or in "name=other" of the other."""
    words = (word.partition("=") for word in names.split())
    return {name: getattr(ks, other or name).__name__ for name, _, other in words}


def divides_by_zero(x, y):
    """Whether x over y divides integers by 0 on a CPU, which packages with eager tensors refuse there;
    at least one is an array, the other may be a number."""
    arrays = [a for a in (x, y) if hasattr(a, "device")]
    if arrays[0].device.kind != "cpu" or any(a.size == 0 for a in arrays):
        return False
    if any(a.dtype == "bfloat16" or a.dtype.kind not in "iu" for a in arrays) or isinstance(y, (float, complex)):
        return False
    return bool((y == 0).any()) if hasattr(y, "device") else y == 0
