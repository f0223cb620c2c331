"""Modules in which the package distributed keeps what dask.distributed has: programs import from them by their names."""

import types

_names = {
    "client": "Client Future as_completed wait default_client get_client futures_of fire_and_forget performance_report "
              "CancelledError TimeoutError ALL_COMPLETED FIRST_COMPLETED",
    "worker": "Worker get_client get_worker secede rejoin",
    "scheduler": "KilledWorker",
    "actor": "Actor",
    "deploy": "LocalCluster",
    "deploy.local": "LocalCluster",
    "diagnostics": "progress",
    "diagnostics.plugin": "WorkerPlugin",
    "diagnostics.progressbar": "progress",
    "event": "Event",
    "exceptions": "Reschedule TimeoutError",
    "lock": "Lock",
    "metrics": "time thread_time process_time",
    "multi_lock": "MultiLock",
    "queues": "Queue",
    "semaphore": "Semaphore",
    "threadpoolexecutor": "secede rejoin",
    "utils": "TimeoutError CancelledError parse_bytes parse_timedelta format_bytes",
    "variable": "Variable",
}  # fmt: skip


def add_to(package, *others):
    """Gives a package its modules; what they name is that of the first other module that has it, else the package's."""
    for path, names in _names.items():
        module = types.ModuleType(f"{package.__name__}.{path}")
        for name in names.split():
            setattr(module, name, next(getattr(home, name) for home in (*others, package) if hasattr(home, name)))
        parent, _, last = path.rpartition(".")
        setattr(getattr(package, parent) if parent else package, last, module)
