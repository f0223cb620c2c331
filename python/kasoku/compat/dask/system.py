"""dask.system: how many processors there are."""

import os


def cpu_count():
    return len(os.sched_getaffinity(0))


CPU_COUNT = cpu_count()
