import kasoku as ks
from timing import best, report

LAUNCHES = 10
text = 'extern "C" __global__ void f(float *x, float *y) { x[threadIdx.x] += y[threadIdx.x]; }'


def figures(device):
    """µs of ten launches and the wait for them."""
    x, y = (ks.zeros(10, dtype="float32", device=device).eval() for _ in range(2))
    f = ks.RawModule(code=text).get_function("f")

    def kernels():
        for _ in range(LAUNCHES):
            f((1,), (10,), (x, y))

    def expressions():
        nonlocal x
        for _ in range(LAUNCHES):
            x += y

    def timed(run):
        def waited():
            run()
            stream.synchronize()

        for _ in range(20):
            waited()
        return best(waited, repeats=9, number=500) * 1e6

    found = {}
    with ks.default_device(device), ks.Stream() as stream:
        for name, run in (("RawKernel", kernels), ("x += y", expressions)):
            run()
            with ks.record() as replay:
                run()
            found[f"{name}, {device}, replayed"] = timed(replay)
            found[f"{name}, {device}, one by one"] = timed(run)
    return found


report({**figures("cpu"), **(figures("cuda") if ks.has_device("cuda") else {})})
