import kasoku as ks
from timing import best, report, skip

if not ks.has_device("cuda"):
    skip("no GPU")
ks.default_device("cuda")
a, b = (ks.random.standard_normal((15360, 15360), dtype="float32").eval() for _ in range(2))


def product():
    ks.eval(ks.matmul(a, b))
    ks.synchronize()


product()
report({"matmul, cuda": best(product) * 1e3})
