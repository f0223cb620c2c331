"""cupy.cuda.runtime: the CUDA runtime's functions that programs ask."""

import kasoku as ks
from kasoku import _core

from ....cuda._facts import cupy_properties
from ..._face.table import plain as _plain
from ._device import CUDARuntimeError, Device, current, devices

is_hip = False
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
streamDefault, streamNonBlocking = 0, 1
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
_attributes = {
    "MaxThreadsPerBlock": 1, "MaxBlockDimX": 2, "MaxBlockDimY": 3, "MaxBlockDimZ": 4, "MaxGridDimX": 5, "MaxGridDimY": 6,
    "MaxGridDimZ": 7, "MaxSharedMemoryPerBlock": 8, "TotalConstantMemory": 9, "WarpSize": 10, "MaxPitch": 11,
    "MaxRegistersPerBlock": 12, "TextureAlignment": 14, "GpuOverlap": 15, "MultiProcessorCount": 16, "KernelExecTimeout": 17,
    "Integrated": 18, "CanMapHostMemory": 19, "ComputeMode": 20, "ConcurrentKernels": 31, "EccEnabled": 32, "PciBusId": 33,
    "PciDeviceId": 34, "MaxThreadsPerMultiProcessor": 39, "AsyncEngineCount": 40, "UnifiedAddressing": 41, "PciDomainId": 50,
    "ComputeCapabilityMajor": 75, "ComputeCapabilityMinor": 76, "MaxSharedMemoryPerMultiprocessor": 81,
    "MaxRegistersPerMultiprocessor": 82, "ManagedMemory": 83, "CooperativeLaunch": 95, "MaxSharedMemoryPerBlockOptin": 97,
    "MemoryPoolsSupported": 115,
}  # fmt: skip
globals().update({f"cudaDevAttr{name}": number for name, number in _attributes.items()})


def deviceGetAttribute(attrib, device=0):
    name = next((name for name, number in _attributes.items() if number == attrib), None)
    if name is None:
        raise ks.errors.UnsupportedError(f"cupy.cuda.runtime.deviceGetAttribute: attribute {attrib} is not known")
    return {"MemoryPoolsSupported": 1, **Device(device).attributes}[name]


_allocations = {}


def malloc(size):
    memory = _core._Memory(int(size), current())
    _allocations[int(memory)] = memory
    return int(memory)


def free(ptr):
    if ptr and _allocations.pop(ptr, None) is None:
        raise CUDARuntimeError(1, f"cudaFree: 0x{ptr:x} was not allocated by malloc()")


def memcpy(dst, src, size, kind):
    from .memory import MemoryPointer, UnownedMemory

    is_to_host = kind == memcpyDeviceToHost
    place = MemoryPointer(UnownedMemory(src if is_to_host else dst, size, None), 0)
    copy = place.copy_from_host if kind == memcpyHostToDevice else place.copy_from_device
    (place.copy_to_host if is_to_host else copy)(dst if is_to_host else src, size)


_functions = _plain(globals(), {
    "getDeviceCount": lambda: len(devices()),
    "getDeviceProperties": lambda device=0: cupy_properties(Device(device)._get()),
    "getDevice": lambda: Device().id,
    "deviceSynchronize": lambda: ks.synchronize(current()),
    "deviceCanAccessPeer": lambda device, peer: int(Device(device)._get().can_reach(Device(peer)._get())),
    "memGetInfo": lambda: Device().mem_info,
    "runtimeGetVersion": lambda: 13000,
    "memcpyAsync": lambda dst, src, size, kind, stream: memcpy(dst, src, size, kind),
    "memset": lambda ptr, value, size: _core._fill(int(ptr), int(value) % 256, 1, int(size), current(), None),
    "memsetAsync": lambda ptr, value, size, stream: _functions.memset(ptr, value, size),
    "streamCreateWithFlags": lambda flags: streamCreate(),
    "streamDestroy": lambda handle: _streams.pop(handle, None) and None,
    "profilerStart": (lambda: None, "Accepted: no profiler is started."),
    "profilerStop": (lambda: None, "Accepted: no profiler is started."),
    "_getLocalRuntimeVersion": lambda: runtimeGetVersion(),  # noqa: F821
    "_getCUDAMajorVersion": lambda: runtimeGetVersion() // 1000,  # noqa: F821
    "setDevice": lambda device: Device(device).use() and None,
}, driverGetVersion="runtimeGetVersion")  # fmt: skip


# Of textures and of attributes that programs name before they ask.
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat = range(3)
cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D = range(4)
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = range(2)
cudaReadModeElementType, cudaReadModeNormalizedFloat = range(2)
cudaArrayDefault, cudaArrayLayered, cudaArraySurfaceLoadStore = 0, 1, 2


# ── streams by their handles ──────────────────────────────────────────────────────────────────

_streams = {}  # what streamCreate() made


def streamCreate():
    stream = ks.Stream(current())
    handle = stream.handle or id(stream)
    _streams[handle] = stream
    return handle


def _stream_of(handle):
    if handle not in _streams:
        raise CUDARuntimeError(400, "cudaErrorInvalidResourceHandle: streamCreate() did not make that stream")
    return _streams[handle]


def streamSynchronize(handle):
    if handle in (0, 1, 2):
        ks.synchronize(current())
    else:
        _stream_of(handle).synchronize()


def streamQuery(handle):
    if handle not in (0, 1, 2):
        _stream_of(handle).is_done()
