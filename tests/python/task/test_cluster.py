"""Delayed values, arrays and compiled functions on engines beyond this process: a real cluster of Dask with two worker
processes, Ray where it is installed, and joblib."""

import dataclasses
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple

import numpy as np
import pytest

import kasoku as ks
from kasoku import _content

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # a worker has no file of it, as of a program's __main__

pytestmark = pytest.mark.timeout(120)
quiet = {"distributed.worker.memory.terminate": False, "distributed.admin.tick.limit": "60s"}
Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Both:
    left: int
    right: int


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )


class Cluster:
    """A scheduler and worker processes, as `dask scheduler` and `dask worker` start them."""

    def __init__(self, folder, workers=({}, {})):
        self.file = os.path.join(folder, "scheduler.json")
        self.workers = []
        scheduler = "distributed.cli.dask_scheduler"
        self.scheduler = start(
            scheduler, "--port=0", "--host=127.0.0.1", "--no-dashboard", f"--scheduler-file={self.file}"
        )
        deadline = time.monotonic() + 30
        while not (os.path.exists(self.file) and os.path.getsize(self.file)) and time.monotonic() < deadline:
            time.sleep(0.02)
        for options in workers:
            self.add(**options)
        self.client = distributed.Client(scheduler_file=self.file, timeout=5, set_as_default=False)
        self.client.wait_for_workers(len(workers), timeout=30)
        self.address = self.client.scheduler.address

    def add(self, preload=None):
        more = [f"--preload={preload}"] if preload else []
        worker = "distributed.cli.dask_worker"
        self.workers.append(
            start(worker, f"--scheduler-file={self.file}", "--nthreads=1", "--no-nanny", "--no-dashboard", *more)
        )

    def close(self):
        self.client.close(timeout=2)
        for process in [*self.workers, self.scheduler]:
            process.kill()
        for process in [*self.workers, self.scheduler]:
            process.wait(timeout=10)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask.config.set(quiet):
        made = Cluster(tmp_path_factory.mktemp("cluster"))
        yield made
        made.close()


@pytest.fixture(scope="module")
def client(cluster):
    return cluster.client


def inc(x):
    return x + 1


def add(x, y):
    return x + y


def total(*args, **words):
    return sum(args) + sum(words.values())


def program():
    """A graph with the things that arguments can be, and what it computes to."""
    one, two = ks.delayed(inc)(0), ks.delayed(inc)(1)
    values = {
        "list": (ks.delayed(list)([one, [two, 5]]), [1, [2, 5]]),
        "tuple": (ks.delayed(lambda t: t)((one, two, (two,))), (1, 2, (2,))),
        "one list in a list": (ks.delayed(lambda t: t)([[one]]), [[1]]),
        "set": (ks.delayed(lambda t: t)({one, 7}), {1, 7}),
        "keys": (ks.delayed(lambda t: t)({"a": one, ("b", 1): (two, 3), one: "c"}), {"a": 1, ("b", 1): (2, 3), 1: "c"}),
        "slice": (ks.delayed("abcdef")[one:5:two], "bd"),
        "named tuple": (ks.delayed(lambda t: (type(t).__name__, *t))(Pair(one, 3)), ("Pair", 1, 3)),
        "dataclass": (ks.delayed(lambda t: (t.left, t.right))(Both(one, two)), (1, 2)),
        "words": (ks.delayed(total)(one, two, a=two, b=4), 9),
        "function": (ks.delayed(lambda n: lambda x: x * n)(two)(one), 2),
        "method": (ks.delayed("a b").split(" "), ["a", "b"]),
        "operators": ((one + 2 * two) ** two, 25),
        "keys that are texts": (ks.delayed(lambda t: t)([one.key, (inc, 1)]), [one.key, (inc, 1)]),
        "value": (ks.delayed([1, 2]), [1, 2]),
    }
    return [value for value, _ in values.values()], [want for _, want in values.values()]


def same(got, want):
    for a, b in zip(got, want, strict=True):
        if isinstance(b, list) and b and type(b[-1]) is tuple:  # a function is another object on its way back
            assert a[0] == b[0] and a[1][1:] == b[1][1:]
        else:
            assert a == b and type(a) is type(b)


# ── Dask's protocol of collections ────────────────────────────────────────────────────────


def test_the_graph_is_what_dask_writes_itself():
    from dask._task_spec import Alias, DataNode, Task
    from dask.base import is_dask_collection

    x = ks.delayed(inc)(1)
    y = ks.delayed(add)(x, 10)
    graph = dict(y.__dask_graph__())
    assert is_dask_collection(y) and y.__dask_keys__() == [y.key]
    assert type(graph[y.key]) is Task and graph[y.key].func is add and graph[y.key].dependencies == {x.key}
    assert graph[y.key]({x.key: 5}) == 15
    assert type(dict(ks.delayed([1]).__dask_graph__()).popitem()[1]) is DataNode
    assert dask.base.tokenize(y) == dask.base.tokenize(y) != dask.base.tokenize(x)
    assert type(dict(ks.delayed(x).__dask_graph__())[x.key]) in (Task, Alias)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_dask_computes_our_values(scheduler):
    values, want = program()
    same(dask.compute(*values, scheduler=scheduler), want)
    theirs = dask.delayed(add)(values[0], [9])
    assert dask.compute(theirs, scheduler=scheduler) == ([1, [2, 5], 9],)
    (kept,) = dask.persist(ks.delayed(inc)(5), scheduler=scheduler)
    assert isinstance(kept, ks.Delayed) and kept.compute() == 6
    assert ks.compute(theirs) == ([1, [2, 5], 9],)


def test_a_cluster_computes_and_keeps_our_values(client):
    values, want = program()
    same(client.gather(client.compute(values)), want)
    same(dask.compute(*values, scheduler=client), want)
    kept = client.persist(ks.delayed(inc)(5))
    assert isinstance(kept, ks.Delayed)
    more = ks.delayed(inc)(kept)
    assert client.compute(more).result() == 7
    assert kept.compute() == 6 and more.compute() == 7  # a value of the cluster, fetched
    assert ks.delayed(os.getpid)().persist(scheduler=client).compute() != os.getpid()


def test_compute_by_a_client(client):
    values, want = program()
    same(ks.compute(*values, scheduler=client), want)
    assert ks.delayed(os.getpid)().compute(scheduler=client) != os.getpid()
    assert ks.compute(1, [ks.delayed(inc)(1)], scheduler=client) == (1, [2])
    many = [ks.delayed(inc)(i) for i in range(200)]
    assert ks.delayed(sum)(many).compute(scheduler=client) == sum(range(1, 201))


def test_an_error_of_a_task_is_raised_here(client):
    def fails(x):
        raise LookupError(f"no {x}")

    wrong = ks.delayed(fails)(3)
    with pytest.raises(LookupError, match="no 3") as caught:
        ks.delayed(add)(wrong, ks.delayed(inc)(1)).compute(scheduler=client)
    assert caught.value.__notes__ == [f"in the task {wrong.key}"]
    assert caught.traceback[-1].name == "fails"  # with the user's line
    deadline = time.monotonic() + 10
    while client.futures and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not client.futures


def test_a_task_of_a_cluster_computes_on_it(client):
    def depth(k):
        if not k:
            return os.getpid() > 0
        return ks.delayed(depth)(k - 1).compute(scheduler=distributed.get_client())

    assert ks.delayed(depth)(4).compute(scheduler=client)  # more of them than there are threads


def test_a_worker_that_is_killed_loses_nothing(cluster, client, tmp_path):
    def slow(i, folder):
        with open(os.path.join(folder, f"{i}-{os.getpid()}"), "w"):
            time.sleep(0.05)
        return i * i

    parts = [ks.delayed(slow)(i, str(tmp_path)) for i in range(40)]
    victim = cluster.workers[0]

    def kill():
        while len(os.listdir(tmp_path)) < 10:
            time.sleep(0.01)
        victim.send_signal(signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        assert ks.delayed(sum)(parts).compute(scheduler=client) == sum(i * i for i in range(40))
    finally:
        thread.join(timeout=10)
    assert victim.wait(timeout=10) == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) > 40 or victim.pid in {int(n.split("-")[1]) for n in os.listdir(tmp_path)}
    cluster.workers.remove(victim)
    cluster.add()
    client.wait_for_workers(2, timeout=30)


# ── arrays and compiled functions ─────────────────────────────────────────────────────────


arrays = {
    "row": lambda: ks.arange(12, dtype="float32"),
    "matrix": lambda: ks.arange(12, dtype="int64").reshape(3, 4),
    "columns": lambda: ks.arange(12.0).reshape(3, 4).T,
    "every second, backwards": lambda: ks.arange(12.0)[::-2],
    "no axis": lambda: ks.array(3.5),
    "empty": lambda: ks.zeros((0, 3), dtype="int8"),
    "pending": lambda: ks.arange(12.0) + 1,
    "special": lambda: ks.array([np.nan, np.inf, -0.0]),
    **{t: lambda t=t: ks.array([0, 1, 1], dtype=t) for t in ("bool", "uint8", "float16", "bfloat16", "complex64")},
}


def equal(a, b):
    return str(a.dtype) == str(b.dtype) and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


@pytest.mark.parametrize("name", arrays)
def test_arrays_are_pickled_with_their_bytes_out_of_band(name, device):
    with ks.default_device(device):
        x = arrays[name]()
        buffers = []
        content = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
        back = pickle.loads(content, buffers=[bytes(b) for b in buffers])  # read-only memory, as Ray's
        assert equal(back, x) and back.device == x.device
        back += back  # and writable here
        assert equal(pickle.loads(cloudpickle.dumps(x)), x)
        if x.size and name != "bfloat16":  # the host has it as float32
            assert sum(memoryview(b).nbytes for b in buffers) == x.nbytes and len(content) < 1000


def test_arrays_go_through_dask_s_serialisation():
    from dask.sizeof import sizeof
    from distributed.protocol import deserialize, serialize

    x = ks.arange(100_000.0).reshape(100, 1000)
    header, frames = serialize(x)
    assert sum(memoryview(f).nbytes for f in frames) < x.nbytes + 2000
    assert equal(deserialize(header, frames), x)
    assert x.nbytes <= sizeof(x) < x.nbytes + 1000
    assert dask.base.tokenize(x) == dask.base.tokenize(x.copy()) != dask.base.tokenize(x + 1)


def test_arrays_and_compiled_functions_in_tasks_of_a_cluster(client):
    @ks.njit
    def norm(x, k):
        s = 0.0
        for i in ks.prange(len(x)):
            s += x[i] ** k
        return s

    twice = ks.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice")
    x = ks.arange(1000.0)
    parts = [ks.delayed(norm)(x[i : i + 100], 2) for i in range(0, 1000, 100)]
    assert ks.delayed(sum)(parts).compute(scheduler=client) == float((np.arange(1000.0) ** 2).sum())
    got = ks.delayed(lambda x: twice(x) + 1)(ks.delayed(ks.arange)(5.0)).compute(scheduler=client)
    assert type(got) is ks.Array and got.numpy().tolist() == [1, 3, 5, 7, 9]
    assert client.submit(norm, np.arange(3.0), 3).result() == 9
    assert float(client.submit(ks.sum, x).result()) == x.numpy().sum()
    assert float(client.submit(ks.Array.max, x).result()) == 999


def test_arrays_are_chunks_of_dask_arrays(client):
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((60, 40)), rng.standard_normal((60, 40))
    for scheduler in ("sync", client):
        with dask.config.set(scheduler=scheduler):
            x = da.from_array(ks.array(a), chunks=(20, 25))
            y = da.from_array(ks.array(b), chunks=(30, 20))
            for got, want in [
                (x + 2 * y, a + 2 * b), (ks.array(a) + y, a + b), (x * ks.array(b), a * b), (x.cumsum(axis=0), a.cumsum(axis=0)), (da.exp(x).sum(axis=0), np.exp(a).sum(axis=0)), (x.T @ y, a.T @ b),
                (x[5:50, ::3], a[5:50, ::3]), (x.mean(), a.mean()), (x.std(axis=1), a.std(axis=1)),
                (da.concatenate([x, y], axis=1), np.concatenate([a, b], axis=1)), (x.max(axis=1), a.max(axis=1)),
                (x.rechunk((7, 40)) - y, a - b), (da.stack([x, y]), np.stack([a, b])), (da.where(x > 0, x, y), np.where(a > 0, a, b)),
                (x.map_blocks(lambda block: block * 3), a * 3), (x.reshape(30, 2, 40), a.reshape(30, 2, 40)),
            ]:  # fmt: skip
                made = got.compute()
                assert type(made) is ks.Array, type(made)
                np.testing.assert_allclose(made.numpy(), want, rtol=1e-10, atol=1e-12)


def test_what_another_version_pickled_is_refused_by_name(monkeypatch):
    content = pickle.dumps(ks.njit(lambda x: x))
    monkeypatch.setattr(_content, "__version__", "9.9.9")
    with pytest.raises(ks.errors.UnsupportedError, match=r"of kasoku .* cannot be read: this process has kasoku 9.9.9"):
        pickle.loads(content)


# ── what goes wrong ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ask", ["compute", "persist"])
def test_what_cannot_be_pickled_is_refused_with_its_reason(client, ask):
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"a task cannot be sent to the cluster: .*lock") as caught:
        getattr(ks.delayed(lambda: lock)(), ask)(scheduler=client)
    assert isinstance(caught.value, ks.Error)
    with pytest.raises(TypeError, match=r"a task's value cannot be sent back from the cluster: .*lock") as caught:
        ks.delayed(lambda: threading.Lock())().compute(scheduler=client)
    assert isinstance(caught.value, ks.Error) and "Traceback" not in str(caught.value)
    assert ks.delayed(inc)(1).compute(scheduler=client) == 2  # the cluster goes on


@pytest.mark.parametrize(
    "preload, says",
    [
        ("import sys\nsys.modules['kasoku'] = None\n", r"has no kasoku \(.*\), this process has"),
        ("import kasoku\nkasoku.__version__ = '0.0.1'\n", "has kasoku 0.0.1, this process has"),
    ],
    ids=["no kasoku", "another version"],
)
def test_a_worker_that_could_not_read_what_it_is_sent(cluster, client, preload, says, tmp_path):
    file = tmp_path / "preload.py"
    file.write_text(preload)
    cluster.add(str(file))
    client.wait_for_workers(3, timeout=30)
    try:
        for ask in ("compute", "persist"):
            with pytest.raises(ks.errors.DeviceError, match=rf"worker at tcp://\S+ {says}[\s\S]*pip install kasoku=="):
                getattr(ks.delayed(inc)(1), ask)(scheduler=client)
    finally:
        process = cluster.workers.pop()
        process.kill()
        process.wait(timeout=10)
        deadline = time.monotonic() + 20
        while len(client.scheduler_info(n_workers=-1)["workers"]) > 2 and time.monotonic() < deadline:
            time.sleep(0.05)
    assert ks.delayed(inc)(1).compute(scheduler=client) == 2


def test_a_cluster_that_goes_away(tmp_path):
    made = Cluster(tmp_path, workers=({},))
    try:
        timer = threading.Timer(0.5, made.scheduler.kill)
        timer.start()
        began = time.monotonic()
        with pytest.raises(ks.errors.DeviceError, match=r"the cluster at tcp://\S+ is gone"):
            ks.delayed(time.sleep)(20).compute(scheduler=made.client)
        for ask in ("compute", "persist"):
            with pytest.raises(ks.errors.DeviceError, match="is gone"):
                getattr(ks.delayed(inc)(1), ask)(scheduler=made.client)
        assert time.monotonic() - began < 15
    finally:
        timer.join()
        made.close()


def test_an_asynchronous_client_is_refused(cluster):
    import asyncio

    async def main():
        async with distributed.Client(cluster.address, asynchronous=True, set_as_default=False) as client:
            with pytest.raises(TypeError, match="asynchronous"):
                ks.compute(ks.delayed(inc)(1), scheduler=client)
            kept = ks.delayed(inc)(0).persist(scheduler=client)
            return await client.compute(ks.delayed(inc)(kept))

    assert asyncio.run(main()) == 2


# ── programs ──────────────────────────────────────────────────────────────────────────────


def run(text, *options, **environment):
    return subprocess.run(
        [sys.executable, "-m", "kasoku", "run", *options, "-c", text],
        capture_output=True, text=True, timeout=60, env={**os.environ, **environment},
    )  # fmt: skip


def test_a_program_with_a_scheduler_s_address_runs_on_its_cluster(cluster):
    ran = run(
        f"""
import os
import dask
from dask import delayed
from dask.distributed import Client, as_completed, wait
client = Client({cluster.address!r})
def square(x):
    return x * x, os.getpid()
parts = [delayed(square)(i) for i in range(4)]
got = dask.compute(*parts)
assert [v for v, _ in got] == [0, 1, 4, 9] and os.getpid() not in {{pid for _, pid in got}}
futures = client.map(square, range(3))
wait(futures)
assert sorted(f.result()[0] for f in as_completed(futures)) == [0, 1, 4]
kept = parts[2].persist()
assert kept.compute()[0] == 4 and kept.compute()[1] != os.getpid()
client.close()
assert parts[0].compute() == (0, os.getpid())
print("done")
"""
    )
    assert ran.stdout == "done\n", ran.stderr


def test_a_program_s_functions_find_kasoku_s_modules_in_a_worker(cluster):
    ran = run(
        f"""
import cupy as cp
import kasoku as ks
import numba
import numpy as np
from dask.distributed import Client
from numba import cuda

@numba.njit(parallel=True)
def total(x):
    s = 0.0
    for i in numba.prange(len(x)):
        s += x[i]
    return s
@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2
def launched():
    x = cuda.to_device(np.arange(4.0))
    double[1, 4](x)
    return x.copy_to_host().tolist()
raw = cp.RawKernel('extern "C" __global__ void one(float* x){{ x[threadIdx.x] += 1; }}', "one")
def of_text():
    x = cp.zeros(3, dtype="float32")
    raw((1,), (3,), (x,))
    return float(cp.sum(x))
half = cp.ElementwiseKernel("T x", "T y", "y = x / 2", "halved")
each = ks.vectorize(lambda a: a * 3)
client = Client({cluster.address!r})
calls = [(total, np.ones(5)), (launched,), (of_text,), (lambda: float(half(cp.arange(3.0)).sum()),),
         (lambda: each(ks.arange(3)).tolist(),)]
print(client.gather([client.submit(*call) for call in calls]))
"""
    )
    assert ran.stdout == "[5.0, [0.0, 2.0, 4.0, 6.0], 3.0, 1.5, [0, 3, 6]]\n", ran.stderr


def test_without_distributed_it_says_what_to_install():
    hidden = "import sys\nsys.modules['distributed'] = None\n"
    ran = run(hidden + "from dask.distributed import Client\nClient('tcp://127.0.0.1:1')")
    assert ran.returncode == 1
    assert "a Client of 'tcp://127.0.0.1:1' needs the package distributed" in ran.stderr
    assert "pip install distributed" in ran.stderr


# ── joblib, Ray ───────────────────────────────────────────────────────────────────────────


def test_joblib():
    joblib = pytest.importorskip("joblib")
    import kasoku.joblib  # noqa: F401

    names = set()

    def work(x):
        names.add(threading.current_thread() is threading.main_thread())
        return x * x

    with joblib.parallel_config("kasoku", n_jobs=2):
        assert joblib.Parallel()(joblib.delayed(work)(i) for i in range(50)) == [i * i for i in range(50)]
        nested = joblib.Parallel()(
            joblib.delayed(lambda n: sum(joblib.Parallel()(joblib.delayed(work)(i) for i in range(n))))(n)
            for n in range(4)
        )
        assert nested == [0, 0, 1, 5]
        assert list(joblib.Parallel(return_as="generator")(joblib.delayed(work)(i) for i in range(5))) == [
            0,
            1,
            4,
            9,
            16,
        ]
        with pytest.raises(ZeroDivisionError):
            joblib.Parallel()(joblib.delayed(lambda i: 1 // (i - 3))(i) for i in range(20))
        assert joblib.Parallel()(joblib.delayed(work)(i) for i in range(3)) == [0, 1, 4]
    assert names == {False}
    assert joblib.Parallel(n_jobs=1, backend="kasoku")([joblib.delayed(work)(3)]) == [9]


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False, configure_logging=False)
    yield ray
    ray.shutdown()


def test_ray(ray, tmp_path):
    values, want = program()
    same(ks.compute(*values, scheduler="ray"), want)
    x = ks.arange(1000.0)
    assert equal(ray.get(ray.put(x)), x)
    assert float(ks.delayed(lambda x: (x * x).sum())(x).compute(scheduler="ray")) == float(
        (np.arange(1000.0) ** 2).sum()
    )

    def dies_once(folder):
        mark = os.path.join(folder, "died")
        if not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return 7

    assert ks.delayed(inc)(ks.delayed(dies_once)(str(tmp_path))).compute(scheduler="ray") == 8

    def fails():
        raise LookupError("no")

    wrong = ks.delayed(fails)()
    with pytest.raises(LookupError, match="no") as caught:
        ks.delayed(inc)(wrong).compute(scheduler="ray")
    assert caught.value.__notes__ == [f"in the task {wrong.key}"] and "in fails" in str(caught.value.__cause__)
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"cannot be sent to Ray: .*lock"):
        ks.delayed(lambda: lock)().compute(scheduler="ray")


def test_an_engine_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ks.errors.UnsupportedError, match=r'scheduler="ray" needs Ray[\s\S]*pip install ray'):
        ks.delayed(inc)(1).compute(scheduler="ray")
    with pytest.raises(ValueError, match="there is no scheduler 'spark'"):
        ks.delayed(inc)(1).compute(scheduler="spark")
