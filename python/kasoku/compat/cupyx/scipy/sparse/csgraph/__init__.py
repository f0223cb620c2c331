"""cupyx.scipy.sparse.csgraph: what hangs together in a graph whose edges are the elements of a matrix."""

import kasoku as _ks

from ....._face import trees as _trees
from .....cupy._arrays import asarray as _asarray
from .._matrix import issparse as _issparse

__all__ = ["connected_components"]


def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """How many components a graph has, and each node's number, from 0 in the order of their first nodes."""
    connection = connection.lower()
    if connection not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    begins, ends, n = _edges(csgraph)
    is_strong = directed and connection == "strong"
    one_of = (_strong if is_strong else _weak)(begins, ends, n)
    nodes = _ks.arange(n, dtype="int32", device=begins.device)
    if is_strong:
        first = _ks.full(n, n, dtype="int32", device=begins.device)
        _ks.minimum.at(first, one_of, nodes)
        one_of = first[one_of]
    numbers = _ks.cumsum(one_of == nodes) - 1
    count = int(numbers[-1]) + 1 if n else 0
    return (count, numbers[one_of].astype("int32")) if return_labels else count


def _edges(graph):
    """The nodes from and to which the edges go, and how many nodes there are."""
    if len(graph.shape) != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    if _issparse(graph):
        pairs = graph.tocoo()
        begins, ends = _asarray(pairs.row), _asarray(pairs.col)
    else:  # of a whole matrix neither 0 nor what is no number is an edge
        graph = _asarray(graph)
        begins, ends = _ks.nonzero((graph != 0) & _ks.isfinite(graph))
    return begins.astype("int32", copy=False), ends.astype("int32", copy=False), graph.shape[0]


def _weak(begins, ends, n):
    """For each node the least of its component, whatever way the edges go."""
    roots = _ks.arange(n, dtype="int32", device=begins.device)
    if begins.size:
        _trees.join_pairs(begins, ends, roots)
        _trees.find_roots(roots, roots, size=n)
    return roots


def _strong(begins, ends, n):
    """For each node one of those to and from which ways lead."""
    order = _ks.argsort(begins, stable=True)
    degrees = _ks.bincount(begins, minlength=n)
    until = _ks.concatenate((_ks.zeros(1, "int64", device=begins.device), _ks.cumsum(degrees))).astype("int32")
    none, kept = [_ks.full(n, -1, dtype="int32", device=begins.device) for _ in range(2)]
    held = [_ks.empty(n, "int32", device=begins.device) for _ in range(4)]
    if n:
        _trees.strong_components(until, ends[order], n, held[0], none, *held[1:], kept, size=1)
    return kept
