"""A backend of joblib: `joblib.parallel_config("kasoku")` after `import kasoku.joblib`.

Calls run on threads of a kasoku.Pool, in the memory of this process; loops of compiled functions inside of them share
the engine's workers. For functions that hold the interpreter's lock, joblib's own processes are the better backend.
"""

from __future__ import annotations

from ._task import Pool

try:
    import joblib as _joblib
    from joblib.parallel import ParallelBackendBase, SequentialBackend
except ImportError:
    raise ImportError("kasoku.joblib: joblib is not installed\n  fix  pip install joblib") from None


class KasokuBackend(ParallelBackendBase):
    """joblib.Parallel on the threads of a kasoku.Pool."""

    default_n_jobs = -1
    uses_threads = True
    supports_sharedmem = True
    supports_retrieve_callback = True

    _pool = None

    def effective_n_jobs(self, n_jobs):
        if n_jobs == 0:
            raise ValueError("n_jobs == 0 in Parallel has no meaning")
        cores = _joblib.cpu_count()
        if n_jobs is None:
            return cores
        return max(cores + 1 + n_jobs, 1) if n_jobs < 0 else n_jobs

    def configure(self, n_jobs=1, parallel=None, **options):
        n_jobs = self.effective_n_jobs(n_jobs)
        self.parallel, self._pool = parallel, Pool(n_jobs)
        return n_jobs

    def submit(self, func, callback=None):
        future = self._pool.submit(func)
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out):
        return out.result()

    def get_nested_backend(self):
        return SequentialBackend(nesting_level=(self.nesting_level or 0) + 1), None

    def abort_everything(self, ensure_ready=True):
        workers = self._pool._max_workers
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = Pool(workers) if ensure_ready else None

    def terminate(self):
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


_joblib.register_parallel_backend("kasoku", KasokuBackend)
