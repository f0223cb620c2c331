"""What a program asks of a Client beside calls: its workers' plugins and files, names that all of its tasks know, what is where."""

import contextlib
import importlib
import inspect
import os
import platform
import sys
from importlib import metadata

import kasoku as ks

from kasoku._task import clients

from .._face.table import methods
from ._futures import futures_of
from .sizeof import sizeof
from .utils import key_split

_nothing = object()


class Managing:
    """A Client's part that is about its cluster."""

    def publish_dataset(self, *args, name=None, **words):
        """Collections under names, which every Client of the cluster finds."""
        named = {**({name: args[0]} if args and name is not None else {a.name: a for a in args}), **words}
        for key, value in named.items():
            if key in self.cluster._datasets:
                raise KeyError(f"Dataset {key} already exists")
            self.cluster._datasets[key] = value

    def get_dataset(self, name, **ignored):
        if name not in self.cluster._datasets:
            raise KeyError(f"Dataset '{name}' not found")
        return self.cluster._datasets[name]

    def run(self, function, *args, workers=None, wait=True, nanny=False, on_error="raise", **kwargs):
        """{address: result} of a call for each worker, which is the parameter `dask_worker` of a function that has one."""
        return {
            worker.address: function(*args, **kwargs, **_taken_by(function, dask_worker=worker))
            for worker in self.cluster.workers.values()
            if workers is None or worker.address in workers
        }

    scheduler = property(lambda self: self.cluster.scheduler)

    def run_on_scheduler(self, function, *args, wait=True, **kwargs):
        """The result of a call, whose parameter `dask_scheduler`, if it has one, is the cluster's."""
        return function(*args, **kwargs, **_taken_by(function, dask_scheduler=self.cluster.scheduler))

    def register_plugin(self, plugin, name=None, **ignored):
        """Sets up every worker, also those to come; {address: {"status": "OK"}}."""
        if not callable(getattr(plugin, "setup", None)):
            raise ks.errors.UnsupportedError(
                f"dask.distributed: {type(plugin).__name__} is no plugin of workers\n"
                "  why  there is no scheduler and no nanny, only threads of this process"
            )
        name = name or getattr(plugin, "name", None) or f"{type(plugin).__name__}-{id(plugin):x}"
        self.cluster._plugins[name] = plugin
        return self._told_by_each(lambda worker: (plugin.setup(worker), worker.plugins.__setitem__(name, plugin)))

    def unregister_worker_plugin(self, name, **ignored):
        """Tears it down at every worker."""
        if name not in self.cluster._plugins:
            raise ks.errors.ValueError(f"dask.distributed: there is no plugin {name!r}")
        teardown = getattr(self.cluster._plugins.pop(name), "teardown", lambda worker: None)
        return self._told_by_each(lambda worker: (teardown(worker), worker.plugins.pop(name, None)))

    def _told_by_each(self, call):
        told = {}
        for worker in self.cluster.workers.values():
            call(worker)
            told[worker.address] = {"status": "OK"}
        return told

    def upload_file(self, filename, load=True):
        """Makes a module's file, or an archive of modules, importable in this process; {address: {"status": "OK"}}."""
        path = os.path.abspath(filename)
        folder, (module, kind) = os.path.dirname(path), os.path.splitext(os.path.basename(path))
        if kind in (".py", ".pyc", ".zip", ".egg"):
            place = folder if kind in (".py", ".pyc") else path
            if place not in sys.path:
                sys.path.insert(0, place)
            importlib.invalidate_caches()
            if module in sys.modules:
                importlib.reload(sys.modules[module])
            elif load and place == folder:
                importlib.import_module(module)
        return self._told_by_each(lambda worker: None)

    def set_metadata(self, key, value):
        """A value under a name, or under a list of names, each in the dictionary of the one before."""
        *path, last = key if isinstance(key, (list, tuple)) else [key]
        at = self.cluster._metadata
        for name in path:
            at = at.setdefault(name, {})
        at[last] = value

    def get_metadata(self, keys, default=_nothing):
        found = self.cluster._metadata
        for name in keys if isinstance(keys, (list, tuple)) else [keys]:
            if name not in found:
                if default is _nothing:
                    raise KeyError(name)
                return default
            found = found[name]
        return found

    def restart(self, **ignored):
        """Drops what was submitted: its futures are cancelled. What runs already runs to its end."""
        for future in [*self._running.values()]:
            if future.done() or not future.cancel():
                continue
            future.set_running_or_notify_cancel()
        self._running.clear()

    def nbytes(self, keys=None, summary=True):
        """The bytes of values that are there, by the names of what made them; summary=False: by keys."""
        sizes = {}
        for key, future in [*self._running.items()]:
            if (keys is None or key in keys) and future.done() and not future.cancelled() and not future.exception():
                name = key_split(key) if summary else key
                sizes[name] = sizes.get(name, 0) + sizeof(future.result())
        return sizes

    def get_versions(self, check=False, packages=()):
        """What this process is, which is client, scheduler and workers."""
        names = ["python", "dask", "distributed", "numpy", "cloudpickle", *packages]
        here = {
            "host": {"python": platform.python_version(), "OS": platform.system(), "machine": platform.machine()},
            "packages": {n: platform.python_version() if n == "python" else _version(n) for n in names},
        }
        return {"scheduler": here, "workers": {address: here for address in self.ncores()}, "client": here}

    @contextlib.contextmanager
    def as_current(self):
        """Within it this Client is the latest."""
        clients.append(self)
        try:
            yield self
        finally:
            del clients[len(clients) - 1 - clients[::-1].index(self)]

    @classmethod
    def current(cls, allow_global=True):
        """The latest Client."""
        if not clients:
            raise ValueError("No global client found and no address provided")
        return clients[-1]


methods(Managing, {
    "processing": lambda self, **ignored: {address: [] for address in self.ncores()},
    "call_stack": lambda self, *ignored, **words: {},
    "get_worker_logs": lambda self, **ignored: {address: () for address in self.ncores()},
    "get_scheduler_logs": lambda self, n=None: [],
    "forward_logging": (lambda self, *ignored, **words: None, "Threads of this process log where this process does."),
    "unforward_logging": lambda self, *ignored: None,
    "rebalance": (lambda self, *ignored, **words: None, "All threads have all values."),
    "replicate": (lambda self, *ignored, **words: None, "All threads have all values."),
    "futures_of": lambda self, futures: futures_of(futures),
    "log_event": lambda self, topic, msg: self.cluster._events.tell(topic, msg),
    "get_events": lambda self, topic=None: self.cluster._events.told(topic),
    "subscribe_topic": lambda self, topic, handler: self.cluster._events.listen(topic, handler),
    "unsubscribe_topic": lambda self, topic: self.cluster._events.leave(topic),
    "story": (lambda self, *keys_or_stimuli: [], "What became of tasks is not written down."),
    "retire_workers": (lambda self, workers=None, **ignored: {}, "Threads stay until their cluster is closed."),
    "normalize_collection": lambda self, collection: collection,
})  # fmt: skip


def _taken_by(function, **words):
    """Those of the words that are parameters of the function."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a function of C may have no signature
        return {}
    return {name: value for name, value in words.items() if name in parameters}


def _version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
