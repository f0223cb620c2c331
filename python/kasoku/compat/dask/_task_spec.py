"""dask._task_spec: graphs of objects. They are those of kasoku._task_spec, which delayed values write their graphs with."""

from kasoku import _task_spec as _nodes

from ._installed import rest_of

__getattr__ = rest_of("_task_spec")
globals().update({name: value for name, value in vars(_nodes).items() if not name.startswith("__")})
