"""NVRTC alone, without a cache of its own: from the text to code for this GPU."""

import ctypes
import glob
import os
import subprocess
import sys
import time

os.environ["CUDA_CACHE_DISABLE"] = "1"
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _text import text
from timing import median, report, skip


def library():
    places = ["/usr/local/cuda*/lib64", "/usr/lib/x86_64-linux-gnu", *(p + "/nvidia/*/lib" for p in sys.path)]
    for place in places:
        for file in sorted(glob.glob(place + "/libnvrtc.so.1[23]")):
            return ctypes.CDLL(file)
    skip("NVRTC is not installed")


try:
    capability = subprocess.run(
        ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True, check=True
    ).stdout.split()[0]
except (OSError, subprocess.CalledProcessError, IndexError):
    skip("no GPU")
nvrtc = library()
options = (ctypes.c_char_p * 1)(f"--gpu-architecture=sm_{capability.replace('.', '')}".encode())


def seconds(k):
    start = time.perf_counter()
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), (text % k).encode(), b"kernel.cu", 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, 1, options):
        skip("NVRTC does not compile the text")
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    nvrtc.nvrtcGetCUBIN(program, ctypes.create_string_buffer(size.value))
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return time.perf_counter() - start


seconds(0)
report({"add_two_array_2d, cuda": median([seconds(k) for k in range(1, 10)]) * 1e3})
