"""A call that does not fit its function is told so in one sentence: which function, which argument, and the signature."""

import inspect

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core
from kasoku._namespace.signatures import worded

x = ks.ones((2, 3))
event = ks.Event()
kernel = ks.RawKernel('extern "C" __global__ void f() {}', "f")

unexpected = "got an unexpected keyword argument"
scalar = "only integer scalar arrays can be converted to a scalar index"
integer = "object cannot be interpreted as an integer"


@pytest.mark.parametrize(
    "call, name, said, hint",
    [
        (lambda: ks.stack(x, x), "stack", "'axis' must be int, not Array", None),
        (lambda: ks.full((2,)), "full", "missing a required argument: 'fill_value'", None),
        (lambda: ks.array(), "array", "missing a required argument: 'object'", None),
        (lambda: ks.array(1, dtyp="f"), "array", f"{unexpected} 'dtyp'", "dtype"),
        (lambda: ks.zeros("a"), "zeros", f"'str' {integer}, given as 'shape'", None),
        (lambda: ks.ones((2, 1.5)), "ones", f"'float' {integer}, given as 'shape'", None),
        (lambda: ks.concatenate(x, x), "concatenate", f"{scalar}, given as 'axis'", None),
        (lambda: ks.sum(x, axs=0), "sum", f"{unexpected} 'axs'", "axis"),
        (lambda: ks.sum(*[x] * 8), "sum", "too many positional arguments", None),
        (lambda: ks.sum(x, x=x), "sum", "multiple values for argument 'x'", None),
        (lambda: ks.add(x), "add", "missing a required argument: 'y'", None),
        (lambda: ks.sin(x, zzz=1), "sin", f"{unexpected} 'zzz'", None),
        (lambda: ks.concatenate([x], casting=None), "concatenate", "'casting' must not be None", None),
        (lambda: ks.eval(3), "eval", "an argument has a type or a value that cannot be used here", None),
        (lambda: x.sum(axs=0), "Array.sum", f"{unexpected} 'axs'", "axis"),
        (lambda: x.sum(keepdims="a"), "Array.sum", "'keepdims' must be bool, not str", None),
        (lambda: x.mean(axis="a"), "Array.mean", f"'str' {integer}, given as 'axis'", None),
        (lambda: x.astype(), "Array.astype", "missing a required argument: 'dtype'", None),
        (lambda: x.numpy(4), "Array.numpy", "too many positional arguments", None),
        (lambda: ks.random.seed(1, 2), "seed", "too many positional arguments", None),
        (lambda: ks.random.rand("a"), "rand", f"'str' {integer}, given as 'shape'", None),
        (lambda: ks.linalg.solve(x), "solve", "missing a required argument: 'b'", None),
        (lambda: ks.linalg.svd(x, fullmatrices=1), "svd", f"{unexpected} 'fullmatrices'", "full_matrices"),
        (lambda: ks.fft.fft(x, axis=1.5), "fft", "'axis' must be int, not float", None),
        (lambda: ks.fft.fft(x, axs=1), "fft", f"{unexpected} 'axs'", "axis"),
        (lambda: event.record(1, 2, 3), "Event.record", "too many positional arguments", None),
        (lambda: kernel.set_shared_size(), "RawKernel.set_shared_size", "missing a required argument: 'arg'", None),
        (lambda: ks.Array(), "Array", "missing a required argument: 'shape'", None),
        (lambda: ks.Array((2,), dtyp="f4"), "Array", f"{unexpected} 'dtyp'", "dtype"),
        (lambda: ks.Device(), "Device", "missing a required argument: 'name'", None),
        (lambda: ks.Stream(devic="cpu"), "Stream", f"{unexpected} 'devic'", "device"),
        (lambda: ks.Event("cpu", 2), "Event", "too many positional arguments", None),
        (lambda: ks.Texture(x, channels="a"), "Texture", "'channels' must be int, not str", None),
        (lambda: ks.Finding(1, "x"), "Finding", "'kind' must be str, not int", None),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(call, name, said, hint):
    with pytest.raises(TypeError) as caught:
        call()
    text, is_hinted, near = str(caught.value).partition("; did you mean ")
    function = name.rpartition(".")[2]
    assert text.startswith(f"{name}(): {said}; it is {function}(") and text.endswith(")") and "\n" not in text
    assert near == (f"{hint!r}?" if hint else "")


def test_the_signature_is_the_functions():
    with pytest.raises(TypeError) as caught:
        ks.linalg.svd()
    assert str(caught.value).endswith(f"; it is svd{inspect.signature(ks.linalg.svd)}")
    with pytest.raises(TypeError, match=r"; it is numpy\(\)$"):
        x.numpy(4)


def test_a_call_with_a_tuple_and_a_dict_is_told_the_same():
    with pytest.raises(TypeError, match=r"^sum\(\): got an unexpected keyword argument 'axs'; .* 'axis'\?$"):
        type(ks.sum).__call__(ks.sum, *(x,), **{"axs": 0})


def test_errors_of_what_was_called_stay_as_they_are():
    class Odd:
        def __index__(self):
            raise TypeError("I am odd")

    with pytest.raises(TypeError, match="^I am odd$"):
        ks.zeros(Odd())
    with pytest.raises(ks.errors.TypeError, match="no array can be made of a str"):
        ks.sin("a")


@pytest.mark.parametrize(
    "call, near",
    [
        (lambda: ks.RawKernel("", "f", optoins=()), "options"),
        (lambda: ks.ElementwiseKernel("T x", "T y", "y = x", naem="f"), "name"),
        (lambda: ks.ElementwiseKernel("T x", "T y", "y = x")(x, siz=3), "size"),
        (lambda: ks.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(x, axs=0), "axis"),
        (lambda: kernel((1,), (1,), (), steam=3), "stream"),
    ],
)
def test_a_kernels_wrong_keyword_is_told_what_there_is(call, near):
    with pytest.raises(ks.errors.TypeError, match=rf"(?s){unexpected} .*did you mean '{near}'\? The arguments are: "):
        call()


def test_numpy_takes_over_what_does_not_fit():
    mean = np.ones((2, 1))
    assert np.array_equal(np.std(x, axis=1, mean=mean), np.std(x.numpy(), axis=1, mean=mean))


@pytest.mark.parametrize("args, kwargs", [((), {}), ((1,) * 30, {}), ((), {"zz": 1})])
def test_every_bound_function_can_be_told_of(args, kwargs):
    said = 0
    for space in (_core, _core._random, _core._linalg, _core._fft):
        for value in vars(space).values():
            for one in (value, *(vars(value).values() if isinstance(value, type) else ())):
                bound = getattr(one, "__wrapped_function__", None)
                if hasattr(bound, "__nb_signature__"):
                    error = worded(bound, TypeError("f(): incompatible function arguments. …"), args, kwargs)
                    assert error is None or "\n" not in str(error)
                    said += error is not None
    assert said > 500


def test_arguments_have_the_names_of_other_packages_too():
    x = ks.array([[3.0, 1.25], [2, 0]])
    assert ks.round(a=x, decimals=1).tolist() == x.round(1).tolist()
    assert ks.moveaxis(a=x, source=0, destination=1).tolist() == x.T.tolist()
    assert ks.broadcast_to(array=x, shape=(1, 2, 2)).shape == (1, 2, 2)
    assert ks.delete(arr=x, indices=0, axis=0).tolist() == [[2, 0]]
    assert ks.union1d(arr1=x, arr2=x).tolist() == [0, 1.25, 2, 3]
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        ks.round(b=x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'a'"):
        ks.round(x, a=x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'a'"):
        ks.round(x=x, a=x)
