"""torch.linalg, as far as products and norms go."""

from ._ops import functions as _functions

matmul = _functions["matmul"]


def norm(x, ord=None, dim=None, keepdim=False):
    return _functions["norm"](x, ord if ord is not None else 2, dim, keepdim)


vector_norm = norm
