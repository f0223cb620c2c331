"""The names that the faces refuse, and why. Errors and the reference quote this."""

autograd = "autograd is not here: kasoku computes no gradients yet"
_layers = "layers and optimisers need gradients, and autograd is not here"
_data = "kasoku has no data loaders and pipelines: give it arrays"
_sparse = "kasoku's arrays are dense"
_several = "kasoku spreads work by tasks and by kasoku.distributed"

# The package, and of names in it the reason.
reasons = {
    "torch": {
        "autograd backward Function vmap func": autograd,
        "optim nn.Module nn.Parameter nn.Linear nn.Conv2d nn.Sequential nn.ReLU hub": _layers,
        "utils.data": _data,
        "sparse sparse_coo_tensor sparse_csr_tensor": _sparse,
        "distributed multiprocessing": _several,
        "complex32 quantize_per_tensor": "there is no such dtype in kasoku",
        "onnx export fx ao": "kasoku keeps no graph of a program that could be written down",
    },
    "tensorflow": {
        "GradientTape gradients custom_gradient": autograd,
        "keras estimator optimizers": _layers,
        "data io": _data,
        "sparse SparseTensor ragged RaggedTensor": _sparse,
        "distribute": _several,
        "strings string": "tensors hold no text",
        "compat saved_model lite": "kasoku keeps no graph of a program that could be written down",
    },
    "cupy": {
        "sparse": "sparse matrices are in cupyx.scipy.sparse",
        "nccl": _several,
        "cutensor": "products are the engine's",
    },
    "cupyx": {
        "cutensor": "products are the engine's: cupy.einsum and cupy.tensordot",
        "distributed": _several,
        "jit.cub jit.thrust": "of them there is what a cupy.RawKernel's text includes: <cub/cub.cuh>",
        "scipy.cluster scipy.optimize": "of cupyx.scipy there are fft, fftpack, interpolate, linalg, ndimage, signal, sparse, spatial, special and stats",
    },
    "pycuda": {
        "gl": "there is no OpenGL beside kasoku",
        "sparse": _sparse,
    },
}
_of_name = {
    f"{package}.{name}": why
    for package, names in reasons.items()
    for words, why in names.items()
    for name in words.split()
}

_of_name |= dict.fromkeys(
    "cupy.testing cupy._core.internal cupy.fft._fft cupy.linalg._util numba.testing numba.cuda.testing numba.tests".split(),
    "what only the package's own tests need is in kasoku_testing, in kasoku's source tree and in no wheel",
)


def reason_of(name):
    """Why a face refuses the name, or a name that it is in; None where it is not known."""
    while name:
        if name in _of_name:
            return _of_name[name]
        name = name.rpartition(".")[0]
    return None
