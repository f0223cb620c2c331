"""dask.optimization: cull(); other rewriting has nothing to gain here."""

from .core import get_dependencies
from .highlevelgraph import HighLevelGraph


def cull(dsk, keys):
    """Only what `keys` need, and what each task depends on."""
    keys = keys if isinstance(keys, (list, set)) else [keys]
    kept = dict(HighLevelGraph.from_collections("graph", dsk).cull(keys))
    return kept, {key: get_dependencies(kept, key, as_list=True) for key in kept}
