"""cupy._environment: where libraries of CUDA's lie. None is used: compilers and algorithms are kasoku's own."""


def get_cub_path():
    """None."""


get_cuda_path = get_nvcc_path = get_rocm_path = get_hipcc_path = get_cub_path
