"""gpuarray.vec: CUDA's vector types as NumPy records, and make_float3() and the like."""

import numpy as np

from .tools import register_dtype

_components = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "longlong": np.int64,
    "ulonglong": np.uint64, "float": np.float32, "double": np.float64,
}  # fmt: skip


class vec:
    """float3, int4, double2 … and make_float3(x, y, z) …"""


def _make(dtype, count):
    names = dtype.names

    def make(*values):
        if len(values) > count:
            raise TypeError(f"{count} values at most, got {len(values)}")
        record = np.zeros((), dtype)
        for name, value in zip(names, values):
            record[name] = value
        return record[()]

    return staticmethod(make)


for _name, _type in _components.items():
    for _count in (1, 2, 3, 4):
        _dtype = np.dtype([(field, _type) for field in "xyzw"[:_count]])
        setattr(vec, f"{_name}{_count}", _dtype)
        setattr(vec, f"make_{_name}{_count}", _make(_dtype, _count))
        setattr(vec, f"filled_{_name}{_count}",
                staticmethod(lambda v, m=getattr(vec, f"make_{_name}{_count}"), n=_count: m(*[v] * n)))  # fmt: skip
        try:
            register_dtype(_dtype, f"{_name}{_count}", alias_ok=True)
        except RuntimeError:
            pass
