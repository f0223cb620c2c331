import kasoku as ks
from timing import best, report


def microseconds(device, use_raw):
    x, y = (ks.zeros(10, dtype="int32", device=device) for _ in range(2))
    if use_raw:
        text = 'extern "C" __global__ void f(int *x, int *y) { y[threadIdx.x] = x[threadIdx.x] + 1; }'
        f = ks.RawModule(code=text).get_function("f")
        call = lambda: f((1,), (10,), (x, y))  # noqa: E731
    else:
        f = ks.ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
        call = lambda: f(x, y)  # noqa: E731
    for _ in range(100):
        call()
    ks.synchronize()
    return best(call, repeats=9, number=2000) * 1e6


figures = {
    "ElementwiseKernel, cpu": microseconds("cpu", False),
    "RawKernel, cpu": microseconds("cpu", True),
}
if ks.has_device("cuda"):
    figures["ElementwiseKernel, cuda, submitted"] = microseconds("cuda", False)
report(figures)
