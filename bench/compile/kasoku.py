"""Each figure is the time of the first launch of a text that was never seen, less that of a
launch of the same kernel afterwards."""

import time

from timing import fresh_cache, in_new_process, median, report

fresh_cache()

plus_one = """
import time, sys, kasoku as ks
x = ks.zeros(10, dtype="int32", device="cpu"); y = ks.zeros(10, dtype="int32", device="cpu")
def one(k):
    t = time.perf_counter()
    f = ks.ElementwiseKernel("int *x, int *y", f"y[i] = x[i] + {k}", "plus_one")
    f(x, y)
    return time.perf_counter() - t
"""
first = median([in_new_process(plus_one + f"print(one({k}))") for k in range(1, 6)])
cached = median([in_new_process(plus_one + f"print(one({k}))") for k in range(1, 6)])

import kasoku as ks  # noqa: E402

text = """
__global__ void add_two_array_2d(int nx, int ny, float *res, float *arr1, float *arr2){
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  int ij = nx * y + x;
  if (x < nx && y < ny){
      res[ij] = arr1[ij] + arr2[ij] + %d;
  }
}
"""
x = ks.zeros(10, dtype="int32", device="cpu")
y = ks.zeros(10, dtype="int32", device="cpu")
a, b, c = (ks.zeros(10, dtype="float32", device="cpu") for _ in range(3))


def elementwise(k):
    start = time.perf_counter()
    ks.ElementwiseKernel("int *x, int *y", f"y[i] = x[i] + {k}", "plus_one")(x, y)
    return time.perf_counter() - start


def raw(k):
    start = time.perf_counter()
    f = ks.RawModule(code=text % k).get_function("add_two_array_2d")
    f((1, 1), (16, 16), (5, 2, a, b, c))
    return time.perf_counter() - start


elementwise(100), raw(100)
report(
    {
        "first compile of a process": first * 1e3,
        "plus_one, warm process": median([elementwise(101 + k) for k in range(9)]) * 1e3,
        "add_two_array_2d, warm process": median([raw(101 + k) for k in range(9)]) * 1e3,
        "from the disk cache": cached * 1e3,
    }
)
