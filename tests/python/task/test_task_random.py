"""Random draws in tasks: keyed by a task's place, whatever thread runs it when."""

import random
import time

import numpy as np
import pytest

import kasoku as ks
from kasoku import delayed


def slowly(value):
    time.sleep(random.random() * 2e-3)
    return value


def arrays(n):
    return slowly(float(ks.random.rand(n).sum()))


@ks.jit
def loop(n):
    total = 0.0
    for _ in range(n):
        total += random.random()
    return total


@ks.jit
def parallel(n):
    total = 0.0
    for _ in ks.prange(n):
        total += np.random.rand()
    return total


@ks.jit
def compiled_arrays(n):
    return np.random.rand(n).sum()


def with_own_generator(n):
    rng = ks.random.default_rng(n)
    return slowly(float(rng.random(n).sum() + rng.standard_normal(n).sum()))


def nested(n):
    parts = [delayed(draw)(n) for draw in (arrays, loop, arrays)]
    return list(ks.compute(*parts, workers=3)) + [arrays(n)]


draws = [arrays, loop, parallel, compiled_arrays, nested]


def graph():
    tasks = [delayed(draw)(n) for n in (5, 1000) for draw in draws for _ in range(3)]
    return delayed(lambda values, more: (values, more))(tasks, delayed(arrays)(7))


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, (list, tuple)) else [value]


def test_a_seeded_graph_repeats_itself_with_any_number_of_workers():
    tasks = graph()
    runs = []
    for workers in (1, 2, 3, 4, 8, 1):
        ks.random.seed(11)
        runs.append([tasks.compute(workers=workers) for _ in range(2)])
    assert all(run == runs[0] for run in runs)
    first, second = (flat(run) for run in runs[0])
    assert len(set(first + second)) == len(first) + len(second)  # nobody shares a draw


def test_a_graph_built_again_is_the_same_graph():
    ks.random.seed(4)
    first = graph().compute(workers=4)
    ks.random.seed(4)
    assert graph().compute(workers=2) == first


def test_several_roots_and_a_shared_task():
    shared = delayed(arrays)(10)
    both = [delayed(lambda x: x)(shared), delayed(lambda x: x)(shared), delayed(arrays)(10)]
    ks.random.seed(1)
    a, b, c = ks.compute(*both, workers=4)
    assert a == b != c
    ks.random.seed(1)
    assert ks.compute(*both, workers=1) == (a, b, c)


def test_equal_calls_are_not_merged():
    values = ks.compute(*[delayed(arrays)(100) for _ in range(20)])
    assert len(set(values)) == 20


def test_what_is_drawn_around_a_graph_does_not_depend_on_it():
    def around(workers):
        ks.random.seed(2)
        before = arrays(3), loop(3)
        graph().compute(workers=workers)
        return before, arrays(3), loop(3)

    assert around(1) == around(4)


def test_a_generator_handed_to_tasks():
    def run(workers):
        rng = ks.random.default_rng(8)
        values = ks.compute(*[delayed(lambda: slowly(float(rng.random())))() for _ in range(8)], workers=workers)
        return values, float(rng.random())

    assert run(1) == run(8)
    assert len(set(run(3)[0])) == 8


def test_a_generator_of_a_tasks_own_is_as_outside():
    want = with_own_generator(50)
    assert ks.compute(*[delayed(with_own_generator)(50) for _ in range(3)], workers=3) == (want,) * 3


def test_a_seed_inside_a_task_is_for_that_task():
    def seeded():
        ks.random.seed(77)
        return slowly((arrays(5), loop(5)))

    ks.random.seed(77)
    want = arrays(5), loop(5)
    ks.random.seed(3)
    outside = arrays(4)
    ks.random.seed(3)
    assert ks.compute(*[delayed(seeded)() for _ in range(6)], workers=3) == (want,) * 6
    assert arrays(4) == outside


def test_lazy_arrays_keep_the_draws_of_the_task_that_made_them():
    def lazy(n):
        return ks.random.rand(n)

    def run(workers):
        ks.random.seed(6)
        parts = ks.compute(*[delayed(lazy)(1000) for _ in range(4)], workers=workers)
        return [float(part.sum()) for part in parts]

    assert run(1) == run(4)


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_an_unseeded_graph_is_right_and_never_the_same(workers):
    tasks = [delayed(loop)(20_000) for _ in range(6)]
    values = [v for _ in range(3) for v in ks.compute(*tasks, workers=workers)]
    assert len(set(values)) == len(values)
    assert abs(np.mean(values) / 20_000 - 0.5) < 6 * np.sqrt(1 / 12 / 20_000 / len(values))


def test_threads_outside_of_graphs_never_share_a_draw():
    with ks.Pool(8) as pool:
        values = list(pool.map(lambda _: (arrays(50), loop(50)), range(100)))
    assert len({x for pair in values for x in pair}) == 200
