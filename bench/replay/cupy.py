import importlib.util

from timing import best, report, skip

if importlib.util.find_spec("cupy") is None:
    skip("cupy is not installed")
import cupy

x, y = cupy.zeros(10, dtype="float32"), cupy.zeros(10, dtype="float32")
text = 'extern "C" __global__ void f(float *x, float *y) { x[threadIdx.x] += y[threadIdx.x]; }'
f = cupy.RawKernel(text, "f")
stream = cupy.cuda.Stream(non_blocking=True)


def kernels():
    for _ in range(10):
        f((1,), (10,), (x, y))


def waited(run):
    run()
    stream.synchronize()


with stream:
    kernels()
    stream.synchronize()
    stream.begin_capture()
    kernels()
    graph = stream.end_capture()
    figures = {
        "RawKernel, cuda, replayed": best(lambda: waited(lambda: graph.launch(stream)), 9, 500) * 1e6,
        "RawKernel, cuda, one by one": best(lambda: waited(kernels), 9, 500) * 1e6,
    }
report(figures)
