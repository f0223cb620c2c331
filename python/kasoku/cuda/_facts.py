"""Properties of a device under the names of each package. A CPU has the limits of the GPUs that programs are written
for, so a launch that respects them runs.
"""

# CUDA's name of the attribute (PyCUDA's), CuPy's, CuPy's of the property, and the value
_limits = [
    ("MAX_REGISTERS_PER_BLOCK", "MaxRegistersPerBlock", "regsPerBlock", 65536),
    ("MAX_REGISTERS_PER_MULTIPROCESSOR", "MaxRegistersPerMultiprocessor", "regsPerMultiprocessor", 65536),
    ("MAX_THREADS_PER_MULTIPROCESSOR", "MaxThreadsPerMultiProcessor", "maxThreadsPerMultiProcessor", 2048),
    ("MAX_BLOCKS_PER_MULTIPROCESSOR", "MaxBlocksPerMultiprocessor", "maxBlocksPerMultiProcessor", 32),
    ("TOTAL_CONSTANT_MEMORY", "TotalConstantMemory", "totalConstMem", 65536),
    ("MAX_PITCH", "MaxPitch", "memPitch", 2**31 - 1),
    ("TEXTURE_ALIGNMENT", "TextureAlignment", "textureAlignment", 512),
    ("TEXTURE_PITCH_ALIGNMENT", "TexturePitchAlignment", "texturePitchAlignment", 32),
    ("UNIFIED_ADDRESSING", "UnifiedAddressing", "unifiedAddressing", 1),
    ("CONCURRENT_KERNELS", "ConcurrentKernels", "concurrentKernels", 1),
    ("COMPUTE_MODE", "ComputeMode", "computeMode", 0),
    ("ECC_ENABLED", "EccEnabled", "ECCEnabled", 0),
    ("GPU_OVERLAP", "GpuOverlap", "deviceOverlap", 1),
    ("ASYNC_ENGINE_COUNT", "AsyncEngineCount", "asyncEngineCount", 1),
    ("KERNEL_EXEC_TIMEOUT", "KernelExecTimeout", "kernelExecTimeoutEnabled", 0),
    ("COOPERATIVE_LAUNCH", "CooperativeLaunch", "cooperativeLaunch", 1),
    ("PCI_DEVICE_ID", "PciDeviceId", "pciDeviceID", 0),
    ("PCI_DOMAIN_ID", "PciDomainId", "pciDomainID", 0),
]


def _rows(device):
    p, on_host = device.properties, int(device.kind == "cpu")
    major, minor = p["compute_capability"]
    yield from _limits
    for k, axis in enumerate("XYZ"):
        yield f"MAX_BLOCK_DIM_{axis}", f"MaxBlockDim{axis}", None, p["max_block"][k]
        yield f"MAX_GRID_DIM_{axis}", f"MaxGridDim{axis}", None, p["max_grid"][k]
    yield None, None, "name", p["name"].encode()
    yield None, None, "totalGlobalMem", p["total_memory"]
    yield None, None, "maxThreadsDim", tuple(p["max_block"])
    yield None, None, "maxGridSize", tuple(p["max_grid"])
    yield "MAX_THREADS_PER_BLOCK", "MaxThreadsPerBlock", "maxThreadsPerBlock", p["max_threads_per_block"]
    yield "MAX_SHARED_MEMORY_PER_BLOCK", "MaxSharedMemoryPerBlock", "sharedMemPerBlock", p["max_shared_bytes_per_block"]
    yield "SHARED_MEMORY_PER_BLOCK", None, None, p["max_shared_bytes_per_block"]
    yield "REGISTERS_PER_BLOCK", None, None, 65536
    opt_in = p["max_shared_bytes_opt_in"]
    yield "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "MaxSharedMemoryPerBlockOptin", "sharedMemPerBlockOptin", opt_in
    shared = "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", "MaxSharedMemoryPerMultiprocessor", "sharedMemPerMultiprocessor"
    yield *shared, opt_in
    yield "WARP_SIZE", "WarpSize", "warpSize", p["warp_size"]
    yield "MULTIPROCESSOR_COUNT", "MultiProcessorCount", "multiProcessorCount", p["multiprocessors"]
    yield "COMPUTE_CAPABILITY_MAJOR", "ComputeCapabilityMajor", "major", major
    yield "COMPUTE_CAPABILITY_MINOR", "ComputeCapabilityMinor", "minor", minor
    yield "PCI_BUS_ID", "PciBusId", "pciBusID", device.index or 0
    yield "CAN_MAP_HOST_MEMORY", "CanMapHostMemory", "canMapHostMemory", on_host
    yield "INTEGRATED", "Integrated", "integrated", on_host
    yield "MANAGED_MEMORY", "ManagedMemory", "managedMemory", on_host


def _column(k):
    return lambda device: {row[k]: row[3] for row in _rows(device) if row[k]}


cuda_attributes, cupy_attributes, cupy_properties = map(_column, range(3))
