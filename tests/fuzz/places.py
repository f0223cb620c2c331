"""Where a statement of a random kernel stands: who comes there together, and what it may read and write."""

import dataclasses

BLOCK, WARP, GROUP, THREAD = range(4)  # who does the same: all threads, those of a warp, of a mask, each its own

WIDE = ("unsigned long long", "long long")
SMALL = ("signed char", "unsigned char", "short", "unsigned short")
FLOATS = {"float": (1 << 24, "f"), "double": (1 << 53, "")}  # whole numbers that are exact, suffix of constants


@dataclasses.dataclass(frozen=True)
class Variable:
    """What an expression may name; `level` says who has the same value."""

    text: str
    type: str
    level: int
    writable: bool = True


@dataclasses.dataclass(frozen=True)
class Array:
    """Elements that everyone who comes there may read."""

    text: str
    type: str
    length: str
    level: int = BLOCK  # of an element whose subscript is that uniform


@dataclasses.dataclass(frozen=True)
class Atomic:
    """Elements that everyone may change by one operation, and nobody reads."""

    text: str
    length: int
    operation: str
    type: str = "unsigned"


@dataclasses.dataclass(frozen=True)
class Place:
    level: int = BLOCK
    variables: tuple = ()
    arrays: tuple = ()
    atomics: tuple = ()
    functions: tuple = ()  # (name, types): functions that a thread runs by itself
    mask: str = None  # of lanes that come there together; None where a thread may be alone
    trips: int = 48  # how often loops may still run what stands there
    depth: int = 0
    exits: int = None  # how uniform leaving the innermost loop is
    in_switch: bool = False
    can_return: bool = True
    has_indices: bool = True  # t, gid and lane
    is_function: bool = False
    can_push: bool = True  # whether how often it is run has a limit that `trips` knows

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def named(self, types, level, writable=False):
        """Variables of these types that are as uniform as `level`."""
        return [v for v in self.variables if v.type in types and v.level <= level and (v.writable or not writable)]

    def without(self, array):
        """Where nobody has an element of that array for himself."""
        return self.but(variables=tuple(v for v in self.variables if not v.text.startswith(array.text + "[")))
