"""pycuda.tools: types by name, argument declarations, memory pools, small helpers."""

import functools
import importlib as _importlib
import os

import numpy as np

from kasoku import _core

from .._face.table import methods as _methods, plain as _plain
from . import driver as _driver
from ._pools import (  # noqa: F401
    DeviceAllocator, DeviceMemoryPool, PageLockedAllocator, PageLockedMemoryPool, PooledDeviceAllocation, bitlog2,
)  # fmt: skip

_names = {
    "bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short",
    "uint16": "unsigned short", "int32": "int", "uint32": "unsigned int", "int64": "long long",
    "uint64": "unsigned long long", "float16": "__half", "float32": "float", "float64": "double",
    "complex64": "pycuda::complex<float>", "complex128": "pycuda::complex<double>",
}  # fmt: skip
_dtype_to_name = {}
_name_to_dtype = {}


def register_dtype(dtype, name, alias_ok=False):
    """Makes a struct known by the name that kernels' text gives it."""
    dtype = np.dtype(dtype)
    for one in [name] if isinstance(name, str) else name:
        known = _name_to_dtype.setdefault(one, dtype)
        if known != dtype and not alias_ok:
            raise RuntimeError(f"the name {one!r} is already registered for {known}")
        if dtype not in _dtype_to_name:
            _dtype_to_name[dtype] = one
            _core._register_kernel_type(dtype, one)


def get_or_register_dtype(name, dtype=None):
    if dtype is None:
        first = name if isinstance(name, str) else name[0]
        if first in _name_to_dtype:
            return _name_to_dtype[first]
        raise TypeError(f"no dtype is registered as {first!r}")
    register_dtype(dtype, name, alias_ok=True)
    return np.dtype(dtype)


def dtype_to_ctype(dtype, with_fp_tex_hack=False):
    """The name that kernel text gives a dtype."""
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    name = _dtype_to_name.get(dtype) or _names.get(dtype.name)
    if name is None:
        raise ValueError(f"no kernel type is known for {dtype}: register_dtype(dtype, name)")
    return name


def match_dtype_to_c_struct(device, name, dtype, context=None):
    """A dtype with its fields where a kernel has them, and the text that declares it there as a struct; kernels say where that is."""
    of = {field: at[0] for field, at in sorted(np.dtype(dtype).fields.items(), key=lambda row: row[1][1])}
    lines = []
    for field, its in of.items():
        element, shape = its.subdtype or (its, ())
        lines.append(f"  {dtype_to_ctype(element)} {field}{''.join(f'[{n}]' for n in shape)};\n")
    text = f"typedef struct {{\n{''.join(lines)}}} {name};\n\n"
    stores = "".join(f"places[{i}] = (int)(size_t)&(({name} *)0)->{field};" for i, field in enumerate(of))
    code = f'{text}extern "C" __global__ void find(int *places) {{ {stores} places[{len(of)}] = sizeof({name}); }}'
    places = _core.zeros(len(of) + 1, dtype="int32")
    _core.RawModule(code).get_function("find")((1,), (1,), (places,))
    *offsets, size = places.tolist()
    return np.dtype({"names": list(of), "formats": list(of.values()), "offsets": offsets, "itemsize": size}), text


def parse_c_arg(declaration):
    """VectorArg or ScalarArg of one declaration, "float *x"."""
    type_name, _, name = declaration.replace("*", " * ").rpartition(" ")
    words = [w for w in type_name.split() if w not in ("const", "__restrict__")]
    kind = VectorArg if "*" in words else ScalarArg
    type_name = " ".join(w for w in words if w != "*")
    known = {v: k for k, v in _names.items()} | {"char": "int8", "long": "int64", "unsigned": "uint32"}
    return kind(_name_to_dtype.get(type_name) or np.dtype(known[type_name]), name)


class Argument:
    def __init__(self, dtype, name):
        self.dtype, self.name = np.dtype(dtype), name

    __repr__ = lambda self: f"{type(self).__name__}({self.name!r}, {self.dtype})"

    def declarator(self):
        return f"{dtype_to_ctype(self.dtype)} {self._sign}{self.name}"


class VectorArg(Argument):
    """An array among a kernel's arguments."""

    struct_char, _sign = "P", "*"

    def __init__(self, dtype, name, with_offset=False):
        super().__init__(dtype, name)


class ScalarArg(Argument):
    """A number among a kernel's arguments."""

    struct_char, _sign = property(lambda self: self.dtype.char), ""


context_dependent_memoize = functools.cache  # the name is PyCUDA's, there is one context here


def make_default_context(ctx_maker=None):
    device = _driver.Device(int(os.environ.get("CUDA_DEVICE", 0)))
    return ctx_maker(device) if ctx_maker else device.make_context()


class DeviceData:
    """Numbers of a device that decide launch shapes."""

    def __init__(self, dev=None):
        attributes = (dev or _driver.Context.get_device()).get_attributes()
        self.max_threads = attributes["MAX_THREADS_PER_BLOCK"]
        self.warp_size = attributes["WARP_SIZE"]
        self.shared_memory = attributes["MAX_SHARED_MEMORY_PER_BLOCK"]
        self.warps_per_mp = self.max_warps_per_mp = 64
        self.thread_blocks_per_mp = 8  # PyCUDA's, whatever the device
        self.registers = attributes["MAX_REGISTERS_PER_BLOCK"]
        self.register_allocation_unit = "warp"
        self.smem_granularity, self.smem_alloc_granularity = 32, 128

    make_valid_tex_channel_count = staticmethod(lambda size: {1: 1, 2: 2, 3: 4, 4: 4}[size])


_methods(DeviceData, {
    "align_bytes": lambda self, word_size=4: 64 if word_size == 4 else 128,
    "align": lambda self, bytes, word_size=4: -(-bytes // self.align_bytes(word_size)) * self.align_bytes(word_size),
    "align_words": lambda self, word_size: self.align_bytes(word_size) // word_size,
    "align_dtype": lambda self, elements, dtype_size: self.align(elements * dtype_size, dtype_size) // dtype_size,
    "coalesce": lambda self, thread_count: -(-thread_count // 16) * 16,
})  # fmt: skip


class OccupancyRecord:
    """How many blocks of so many threads a multiprocessor holds side by side, and what there are no more of."""

    def __init__(self, devdata, threads, shared_mem=0, registers=0):
        warps = -(-threads // devdata.warp_size)
        unit = devdata.smem_alloc_granularity
        if threads > devdata.max_threads:
            raise ValueError("too many threads")
        of_registers = warps * devdata.warp_size * registers
        if of_registers > devdata.registers:
            raise ValueError("too many registers")
        of_memory = -(-shared_mem // unit) * unit
        if of_memory > devdata.shared_memory:
            raise ValueError("too much smem")
        self.tb_per_mp_limits = [(devdata.thread_blocks_per_mp, "device"), (devdata.warps_per_mp // warps, "warps")]
        if of_registers:
            self.tb_per_mp_limits.append((devdata.registers // of_registers, "regs"))
        if of_memory:
            self.tb_per_mp_limits.append((devdata.shared_memory // of_memory, "smem"))
        self.tb_per_mp, self.limited_by = min(self.tb_per_mp_limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp


def init_cuda_context_fixture():
    yield


_plain(globals(), {
    "mark_cuda_test": lambda inner_f: _importlib.import_module("pytest").mark.cuda(inner_f),
    "clear_context_caches": lambda: None,
    "get_default_device": lambda default=0: _driver.Device(default),
    "allow_user_edit": lambda s, filename, descr="the file": s,
    "pytest_generate_tests": lambda metafunc: None,
})  # fmt: skip
