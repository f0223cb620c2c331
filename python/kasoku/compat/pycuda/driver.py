"""pycuda.driver: devices, memory, copies, streams, events, textures, functions.

Each part is a module of its own, next to this one."""

import kasoku as ks
from kasoku import _core

from ._flags import (  # noqa: F401
    compute_mode, ctx_flags, event_flags, func_cache, host_alloc_flags, jit_fallback, jit_option, limit,
    mem_attach_flags, mem_host_register_flags, memory_type, shared_config, stream_flags,
)  # fmt: skip
from ._errors import (  # noqa: F401
    CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError,
)  # fmt: skip
from ._context import (  # noqa: F401
    Context, Device, device_attribute, function_attribute, get_driver_version, get_version, init,
    pointer_attribute, was_context_created, _device,
)  # fmt: skip
from ._streams import (  # noqa: F401
    Event, Stream, _stream,
)  # fmt: skip
from ._memory import (  # noqa: F401
    ArgumentHandler, DeviceAllocation, In, InOut, Out, PointerHolderBase, aligned_empty, aligned_empty_like,
    aligned_zeros, aligned_zeros_like, from_device, from_device_like, managed_empty, managed_empty_like,
    managed_zeros, managed_zeros_like, mem_alloc, mem_alloc_like, mem_alloc_pitch, mem_get_info, memcpy_dtod,
    memcpy_dtod_async, memcpy_dtoh, memcpy_dtoh_async, memcpy_htod, memcpy_htod_async, memcpy_peer,
    memcpy_peer_async, memset_d16, memset_d16_async, memset_d2d16, memset_d2d16_async, memset_d2d32,
    memset_d2d32_async, memset_d2d8, memset_d2d8_async, memset_d32, memset_d32_async, memset_d8, memset_d8_async,
    pagelocked_empty, pagelocked_empty_like, pagelocked_zeros, pagelocked_zeros_like, register_host_memory,
    to_device,
)  # fmt: skip
from ._textures import (  # noqa: F401
    Array, ArrayDescriptor, ArrayDescriptor3D, SurfaceReference, TRSA_OVERRIDE_FORMAT,
    TRSF_NORMALIZED_COORDINATES, TRSF_READ_AS_INTEGER, TRSF_SRGB, TextureReference, address_mode,
    array3d_flags, array_format, bind_array_to_texref, dtype_to_array_format, filter_mode, gpuarray_to_array,
    make_multichannel_2d_array, matrix_to_array, matrix_to_texref, np_to_array, texref_of,
)  # fmt: skip
from ._functions import Function  # noqa: F401
from ._copies import (  # noqa: F401
    Memcpy2D, Memcpy3D, memcpy_atoa, memcpy_atod, memcpy_atoh, memcpy_dtoa, memcpy_htoa,
)  # fmt: skip

Module = _core.SourceModule


def module_from_buffer(buffer, options=(), message_handler=None):
    """A module from text; machine code of nvcc's is not loaded."""
    from .compiler import SourceModule  # it needs this module

    text = bytes(buffer) if not isinstance(buffer, str) else buffer
    if isinstance(text, bytes):
        if text[:4] == b"\x7fELF" or b".version" in text[:4096]:
            raise ks.errors.UnsupportedError("PTX and machine code cannot be loaded: give the text of the kernels")
        text = text.decode()
    return SourceModule(text)


def module_from_file(filename):
    with open(filename, "rb") as file:
        return module_from_buffer(file.read())


def start_profiler():
    pass


stop_profiler = start_profiler
