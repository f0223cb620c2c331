"""Compiled functions that are given a numpy.random.Generator draw its numbers, and leave it where NumPy does."""

import copy
import re

import numpy as np
import pytest

import kasoku as ks

CALLS = """random() random(5) random((2, 3)) standard_normal() normal(1.5, 2.0) normal(loc=3, scale=2, size=(2, 2)) normal(0, -1)
uniform(-1, 5) uniform(2, 3, 10) uniform(3, 2) exponential(2.0) exponential(2.0, 5) exponential(-1) standard_exponential(7) gamma(2.5)
gamma(0.5, 3.0, 10) standard_gamma(1.5, 10) beta(2.0, 3.0) beta(0.0, 1.0) chisquare(3, 5) poisson(3.5) poisson(100.0, 10) poisson(-1)
geometric(0.3) geometric(0.01, 10) binomial(10, 0.5) binomial(1000, 0.4, 20) binomial(5, 2) lognormal(0, 1, 5) laplace(1, 2, 5)
logistic(1, 2, 5) gumbel(1, 2, 5) rayleigh(2, 5) weibull(2.0, 5) pareto(2.0, 5) power(2.0, 5) standard_t(3, 5) standard_cauchy(5)
integers(10) integers(5, 10) integers(0, 2**40) integers(-5, 5, 20) integers(3, 3) integers(10, endpoint=True) integers(0, 2**32)
integers(-(2**63), 2**63 - 1) permutation(10)"""


def drawing(call, path):
    path.write_text(f"def f(generator):\n    return generator.{call}, generator.random()\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"]


def outcome(function, generator):
    try:
        return [function(generator) for _ in range(2)]
    except (ValueError, OverflowError) as error:
        return type(error), str(error)


def same(one, other):
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        assert type(one) is type(other) or isinstance(other, np.number)
        assert one is other if isinstance(one, type) else np.array_equal(one, other)
        assert np.asarray(one).dtype.kind == np.asarray(other).dtype.kind


@pytest.mark.parametrize("call", re.findall(r"\w+\(.*?\)(?=\s|$)", CALLS))
def test_draws_are_numpys(call, tmp_path):
    function = drawing(call, tmp_path / "drawing.py")
    same(outcome(ks.njit(function), np.random.default_rng(7)), outcome(function, np.random.default_rng(7)))


@pytest.mark.parametrize("bits", ["PCG64", "MT19937", "Philox", "SFC64"])
def test_a_walk_of_any_bit_generator(bits):
    def walk(generator, n):
        x, low = 0.0, 0
        for _ in range(n):
            x += generator.normal() if generator.random() < 0.5 else -generator.normal()
            if generator.integers(0, 10) < 3 and generator.random() < 0.5:
                low += 1
        return x, low

    def of(function):
        generator = np.random.Generator(getattr(np.random, bits)(3))
        return function(generator, 1000), generator.random()

    assert of(ks.njit(walk)) == of(walk)


def test_arrays_and_lists_are_shuffled():
    def shuffled(generator, x, rows, items):
        generator.shuffle(x)
        generator.shuffle(rows)
        generator.shuffle(items)
        return generator.permutation(rows)

    given = np.arange(10.0), np.arange(12).reshape(6, 2), [1, 2, 3, 4]
    ours, theirs = copy.deepcopy(given), copy.deepcopy(given)
    same(ks.njit(shuffled)(np.random.default_rng(3), *ours), shuffled(np.random.default_rng(3), *theirs))
    same(ours, theirs)


def test_what_has_no_compiled_form_is_numpys():
    def single(generator):
        return generator.random(dtype=np.float32)

    def itself(generator):
        return generator

    generator = np.random.default_rng(1)
    assert ks.jit(itself)(generator) is generator
    assert ks.jit(single)(generator) == np.random.default_rng(1).random(dtype=np.float32)
