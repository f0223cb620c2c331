"""cupyx.scipy.sparse.csgraph: what hangs together in a graph whose edges are the elements of a matrix."""

import kasoku as _ks

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
    nodes = _ks.arange(n, device=begins.device)
    first = _ks.full(n, n, device=begins.device)
    _ks.minimum.at(first, one_of, nodes)
    first = first[one_of]
    numbers = _ks.cumsum(first == nodes) - 1
    count = int(numbers[-1]) + 1 if n else 0
    return (count, numbers[first].astype("int32")) if return_labels else count


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
    return begins.astype("int64"), ends.astype("int64"), graph.shape[0]


def _weak(begins, ends, n):
    """For each node the least of its component, whatever way the edges go."""
    least = _ks.arange(n, device=begins.device)
    while True:
        low = _ks.minimum(least[begins], least[ends])
        joined = least.copy()
        for places in (least[begins], least[ends], begins, ends):
            _ks.minimum.at(joined, places, low)
        joined = joined[joined]  # the way to the least is halved
        if bool((joined == least).all()):
            return least
        least = joined


def _strong(begins, ends, n):
    """For each node the greatest from which a way leads to it, among those that the components found before leave.

    Where such a greatest node is reached back from a node, both are of one component, which is then taken out."""
    nodes = _ks.arange(n, device=begins.device)
    found = _ks.full(n, -1, device=begins.device)
    while bool((found < 0).any()):
        greatest = _spread(_ks.where(found < 0, nodes, -1), begins, ends)
        same = greatest[begins] == greatest[ends]
        back = _spread((greatest == nodes).astype("int64"), ends[same], begins[same])
        found = _ks.where((back > 0) & (found < 0), greatest, found)
        left = (found[begins] < 0) & (found[ends] < 0)
        begins, ends = begins[left], ends[left]
    return found


def _spread(numbers, begins, ends):
    """The greatest number of each node and of those from which edges lead to it."""
    while True:
        more = numbers.copy()
        _ks.maximum.at(more, ends, numbers[begins])
        if bool((more == numbers).all()):
            return numbers
        numbers = more
