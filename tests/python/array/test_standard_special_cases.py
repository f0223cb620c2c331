"""The special cases that the Python array API standard 2024.12 lists for elementwise functions and operators."""

import itertools
import operator

import kasoku as ks
import numpy as np
import pytest

inf, nan, pi = float("inf"), float("nan"), np.pi

# Conditions on one operand, and the values that stand for each.
VALUES = {
    "NaN": [nan],
    "+NaN": [np.copysign(nan, 1)],
    "-NaN": [np.copysign(nan, -1)],
    "+0": [0.0],
    "-0": [-0.0],
    "0": [0.0, -0.0],
    "1": [1.0],
    "-1": [-1.0],
    "|1|": [1.0, -1.0],
    "inf": [inf],
    "-inf": [-inf],
    "|inf|": [inf, -inf],
    ">0": [1e-3, 0.5, 1.0, 2.0, 3.0, 1e30, inf],
    "<0": [-1e-3, -0.5, -1.0, -2.0, -3.0, -1e30, -inf],
    ">1": [1.0000002, 2.0, 1e30, inf],
    "<1": [0.9999999, 0.5, 0.0, -0.0, -2.0, -inf],
    "<-1": [-1.0000002, -2.0, -1e30, -inf],
    "|>1|": [1.5, -1.5, 2.0, -3.0, inf, -inf],
    "|<1|": [0.5, -0.5, 1e-3, 0.0, -0.0],
    "+finite": [1e-3, 0.5, 1.0, 2.0, 3.0, 1e30],
    "-finite": [-1e-3, -0.5, -1.0, -2.0, -3.0, -1e30],
    "nonzero": [1e-3, -0.5, 1.0, -2.0, 3.0, -1e30],
    "finite": [0.0, -0.0, 1e-3, -0.5, 1.0, -2.0, 3.0, -1e30],
    "integer": [1.0, -2.0, 3.0, 1e30],
    "odd>0": [1.0, 3.0, 5.0],
    "odd<0": [-1.0, -3.0, -5.0],
    "even>0": [0.5, 2.0, 4.0, 2.5],
    "even<0": [-0.5, -2.0, -4.0, -2.5],
    "fraction": [0.5, -0.5, 2.5],
    "half": [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e6 + 0.5],
    "not0": [1e-3, -0.5, 1.0, -2.0, inf, -inf],
    "not1": [0.0, -0.0, -1.0, 2.0, inf, -inf, nan],
    "number": [0.0, -0.0, 1.0, -2.0, inf, -inf],
    "any": [0.0, -0.0, 1.0, -2.0, inf, -inf, nan],
}

# Results; a leading ~ leaves the sign open.
RESULTS = {
    "NaN": nan, "inf": inf, "-inf": -inf, "+0": 0.0, "-0": -0.0, "1": 1.0, "-1": -1.0,
    "pi": pi, "-pi": -pi, "pi/2": pi / 2, "-pi/2": -pi / 2, "pi/4": pi / 4, "-pi/4": -pi / 4,
    "3pi/4": 3 * pi / 4, "-3pi/4": -3 * pi / 4,
    "True": True, "False": False,
    "x": lambda x, y: x,
    "y": lambda x, y: y,
    "-|x|": lambda x, y: -abs(x),
    "|x|": lambda x, y: abs(x),
    "|y|": lambda x, y: abs(y),
    "even_x": lambda x, y: np.copysign(round(x), x),  # of Python's round(), which goes to the even number
    "even_y": lambda x, y: np.copysign(round(y), y),
    "inf_cos": lambda x, y: inf * np.cos(y),
    "inf_sin": lambda x, y: inf * np.sin(y),
    "0_cos": lambda x, y: 0.0 * np.cos(y),
    "0_sin": lambda x, y: 0.0 * np.sin(y),
}  # fmt: skip

REAL = """
abs       | NaN: NaN | -0: +0 | -inf: inf
acos      | NaN: NaN | >1: NaN | <-1: NaN | 1: +0
acosh     | NaN: NaN | <1: NaN | 1: +0 | inf: inf
asin      | NaN: NaN | >1: NaN | <-1: NaN | +0: +0 | -0: -0
asinh     | NaN: NaN | +0: +0 | -0: -0 | inf: inf | -inf: -inf
atan      | NaN: NaN | +0: +0 | -0: -0 | inf: pi/2 | -inf: -pi/2
atanh     | NaN: NaN | <-1: NaN | >1: NaN | -1: -inf | 1: inf | +0: +0 | -0: -0
ceil      | integer: x | inf: inf | -inf: -inf | +0: +0 | -0: -0 | NaN: NaN
cos       | NaN: NaN | 0: 1 | |inf|: NaN
cosh      | NaN: NaN | 0: 1 | |inf|: inf
exp       | NaN: NaN | 0: 1 | inf: inf | -inf: +0
expm1     | NaN: NaN | +0: +0 | -0: -0 | inf: inf | -inf: -1
floor     | integer: x | inf: inf | -inf: -inf | +0: +0 | -0: -0 | NaN: NaN
isfinite  | |inf|: False | NaN: False | finite: True
isinf     | |inf|: True | NaN: False | finite: False
isnan     | NaN: True | |inf|: False | finite: False
log       | NaN: NaN | <0: NaN | 0: -inf | 1: +0 | inf: inf
log1p     | NaN: NaN | <-1: NaN | -1: -inf | +0: +0 | -0: -0 | inf: inf
log2      | NaN: NaN | <0: NaN | 0: -inf | 1: +0 | inf: inf
log10     | NaN: NaN | <0: NaN | 0: -inf | 1: +0 | inf: inf
reciprocal | NaN: NaN | +0: inf | -0: -inf | inf: +0 | -inf: -0
round     | integer: x | inf: inf | -inf: -inf | +0: +0 | -0: -0 | NaN: NaN | half: even_x
sign      | <0: -1 | >0: 1 | 0: +0 | NaN: NaN
signbit   | +0: False | -0: True | >0: False | <0: True | +NaN: False | -NaN: True
sin       | NaN: NaN | +0: +0 | -0: -0 | |inf|: NaN
sinh      | NaN: NaN | +0: +0 | -0: -0 | inf: inf | -inf: -inf
sqrt      | NaN: NaN | <0: NaN | +0: +0 | -0: -0 | inf: inf
square    | NaN: NaN | 0: +0 | |inf|: inf
tan       | NaN: NaN | +0: +0 | -0: -0 | |inf|: NaN
tanh      | NaN: NaN | +0: +0 | -0: -0 | inf: 1 | -inf: -1
trunc     | integer: x | inf: inf | -inf: -inf | +0: +0 | -0: -0 | NaN: NaN
"""

PAIRS = """
add       | NaN any: NaN | any NaN: NaN | inf -inf: NaN | -inf inf: NaN | inf inf: inf | -inf -inf: -inf
add       | inf finite: inf | -inf finite: -inf | finite inf: inf | finite -inf: -inf
add       | -0 -0: -0 | -0 +0: +0 | +0 -0: +0 | +0 +0: +0 | 0 nonzero: y | nonzero 0: x
atan2     | NaN any: NaN | any NaN: NaN | >0 0: pi/2 | +0 >0: +0 | +0 +0: +0 | +0 -0: pi | +0 <0: pi
atan2     | -0 >0: -0 | -0 +0: -0 | -0 -0: -pi | -0 <0: -pi | <0 0: -pi/2
atan2     | +finite inf: +0 | +finite -inf: pi | -finite inf: -0
atan2     | -finite -inf: -pi | inf finite: pi/2 | -inf finite: -pi/2
atan2     | inf inf: pi/4 | inf -inf: 3pi/4 | -inf inf: -pi/4 | -inf -inf: -3pi/4
copysign  | number <0: -|x| | number -0: -|x| | number +0: |x| | number >0: |x| | number -NaN: -|x| | number +NaN: |x|
divide    | NaN any: NaN | any NaN: NaN | |inf| |inf|: NaN | 0 0: NaN | +0 >0: +0 | -0 >0: -0 | +0 <0: -0 | -0 <0: +0
divide    | >0 +0: inf | >0 -0: -inf | <0 +0: -inf | <0 -0: inf
divide    | inf +finite: inf | inf -finite: -inf | -inf +finite: -inf | -inf -finite: inf
divide    | +finite inf: +0 | +finite -inf: -0 | -finite inf: -0 | -finite -inf: +0
equal     | NaN any: False | any NaN: False | inf inf: True | -inf -inf: True
equal     | 0 0: True | inf -inf: False | finite inf: False
floor_divide | NaN any: NaN | any NaN: NaN | |inf| |inf|: NaN | 0 0: NaN | +0 >0: +0 | -0 >0: -0 | +0 <0: -0 | -0 <0: +0
floor_divide | >0 +0: inf | >0 -0: -inf | <0 +0: -inf | <0 -0: inf
floor_divide | inf +finite: inf | inf -finite: -inf | -inf +finite: -inf | -inf -finite: inf
floor_divide | +finite inf: +0 | +finite -inf: -0 | -finite inf: -0 | -finite -inf: +0
hypot     | |inf| any: inf | any |inf|: inf | 0 any: |y| | any 0: |x| | finite NaN: NaN | NaN finite: NaN | NaN NaN: NaN
logaddexp | NaN any: NaN | any NaN: NaN | inf number: inf | number inf: inf
maximum   | NaN any: NaN | any NaN: NaN
minimum   | NaN any: NaN | any NaN: NaN
multiply  | NaN any: NaN | any NaN: NaN | |inf| 0: NaN | 0 |inf|: NaN | inf inf: inf | -inf -inf: inf | inf -inf: -inf
multiply  | inf +finite: inf | inf -finite: -inf | -inf +finite: -inf | -finite -inf: inf | +0 -0: -0 | -0 -0: +0
nextafter | NaN any: NaN | any NaN: NaN | -0 +0: +0 | +0 -0: -0
not_equal | NaN any: True | any NaN: True | inf -inf: True | -inf inf: True | inf inf: False | 0 0: False
pow       | not1 NaN: NaN | any 0: 1 | NaN not0: NaN | |>1| inf: inf | |>1| -inf: +0 | |1| |inf|: 1 | 1 number: 1
pow       | |<1| inf: +0 | |<1| -inf: inf | inf >0: inf | inf <0: +0
pow       | -inf odd>0: -inf | -inf even>0: inf | -inf odd<0: -0 | -inf even<0: +0
pow       | +0 >0: +0 | +0 <0: inf | -0 odd>0: -0 | -0 even>0: +0
pow       | -0 odd<0: -inf | -0 even<0: inf | -finite fraction: NaN
remainder | NaN any: NaN | any NaN: NaN | |inf| |inf|: NaN | 0 0: NaN | 0 >0: +0 | 0 <0: -0 | >0 0: NaN | <0 0: NaN
remainder | |inf| finite: NaN | +finite inf: x | +finite -inf: y | -finite inf: y | -finite -inf: x
subtract  | NaN any: NaN | any NaN: NaN | inf inf: NaN | -inf -inf: NaN
subtract  | inf -inf: inf | -inf inf: -inf | -0 +0: -0 | +0 +0: +0
subtract  | +0 -0: +0 | -0 -0: +0 | inf finite: inf | finite inf: -inf | 0 -finite: |y| | nonzero 0: x
"""

# Of x + yj; the conjugate of an operand has the conjugate of the result.
COMPLEX = """
abs   | |inf| any: inf | any |inf|: inf | 0 any: |y| | any 0: |x| | NaN finite: NaN | finite NaN: NaN | NaN NaN: NaN
acos  | 0 +0: pi/2 -0 | 0 NaN: pi/2 NaN | finite inf: pi/2 -inf | nonzero NaN: NaN NaN | -inf +finite: pi -inf
acos  | inf +finite: +0 -inf | -inf inf: 3pi/4 -inf | inf inf: pi/4 -inf | |inf| NaN: NaN ~inf | NaN finite: NaN NaN
acos  | NaN inf: NaN -inf | NaN NaN: NaN NaN
acosh | 0 +0: +0 pi/2 | finite inf: inf pi/2 | nonzero NaN: NaN NaN | +0 NaN: NaN ~pi/2 | -inf +finite: inf pi
acosh | inf +finite: inf +0 | -inf inf: inf 3pi/4 | inf inf: inf pi/4 | |inf| NaN: inf NaN | NaN finite: NaN NaN
acosh | NaN inf: inf NaN | NaN NaN: NaN NaN
asinh | +0 +0: +0 +0 | +finite inf: inf pi/2 | finite NaN: NaN NaN | inf +finite: inf +0 | inf inf: inf pi/4
asinh | NaN +0: NaN +0 | NaN nonzero: NaN NaN | NaN inf: ~inf NaN | NaN NaN: NaN NaN
atanh | +0 +0: +0 +0 | +0 NaN: +0 NaN | 1 +0: inf +0
atanh | +finite inf: +0 pi/2 | nonzero NaN: NaN NaN | inf +finite: +0 pi/2
atanh | inf inf: +0 pi/2 | inf NaN: +0 NaN | NaN finite: NaN NaN | NaN inf: ~+0 pi/2 | NaN NaN: NaN NaN
cosh  | +0 +0: 1 +0 | +0 inf: NaN ~+0 | +0 NaN: NaN ~+0 | nonzero inf: NaN NaN | nonzero NaN: NaN NaN | inf +0: inf +0
cosh  | inf nonzero: inf_cos inf_sin | inf inf: ~inf NaN | inf NaN: inf NaN | NaN 0: NaN ~+0 | NaN nonzero: NaN NaN
cosh  | NaN NaN: NaN NaN
exp   | 0 +0: 1 +0 | finite inf: NaN NaN | finite NaN: NaN NaN | inf +0: inf +0 | -inf finite: 0_cos 0_sin
exp   | inf nonzero: inf_cos inf_sin | -inf inf: ~+0 ~+0 | inf inf: ~inf NaN | -inf NaN: ~+0 ~+0 | inf NaN: ~inf NaN
exp   | NaN +0: NaN +0 | NaN not0: NaN NaN | NaN NaN: NaN NaN
expm1 | 0 +0: ~+0 +0 | finite inf: NaN NaN | finite NaN: NaN NaN | inf +0: inf +0 | -inf finite: -1 0_sin
expm1 | inf nonzero: inf_cos inf_sin | -inf inf: -1 ~+0 | inf inf: ~inf NaN | -inf NaN: -1 ~+0 | inf NaN: ~inf NaN
expm1 | NaN +0: NaN +0 | NaN not0: NaN NaN | NaN NaN: NaN NaN
isfinite | NaN any: False | any NaN: False | |inf| any: False | any |inf|: False | finite finite: True
isinf | |inf| any: True | any |inf|: True | finite finite: False | NaN NaN: False | NaN finite: False
isnan | NaN any: True | any NaN: True | number number: False
log   | -0 +0: -inf pi | +0 +0: -inf +0 | finite inf: inf pi/2
log   | finite NaN: NaN NaN | -inf +finite: inf pi | inf +finite: inf +0
log   | -inf inf: inf 3pi/4 | inf inf: inf pi/4 | |inf| NaN: inf NaN
log   | NaN finite: NaN NaN | NaN inf: inf NaN | NaN NaN: NaN NaN
log1p | -1 +0: -inf +0 | finite inf: inf pi/2 | finite NaN: NaN NaN | -inf +finite: inf pi | inf +finite: inf +0
log1p | -inf inf: inf 3pi/4 | inf inf: inf pi/4 | |inf| NaN: inf NaN
log1p | NaN finite: NaN NaN | NaN inf: inf NaN | NaN NaN: NaN NaN
round | integer -inf: x -inf | inf -0: inf -0 | -inf NaN: -inf NaN
round | +0 half: +0 even_y | -0 inf: -0 inf | NaN -inf: NaN -inf
sign  | 0 0: ~+0 ~+0 | NaN any: NaN NaN | any NaN: NaN NaN
sinh  | +0 +0: +0 +0 | +0 inf: ~+0 NaN | +0 NaN: ~+0 NaN | +finite inf: NaN NaN | +finite NaN: NaN NaN | inf +0: inf +0
sinh  | inf +finite: inf_cos inf_sin | inf inf: ~inf NaN | inf NaN: ~inf NaN | NaN +0: NaN +0 | NaN nonzero: NaN NaN
sinh  | NaN NaN: NaN NaN
sqrt  | 0 +0: +0 +0 | any inf: inf inf | finite NaN: NaN NaN | -inf NaN: NaN ~inf | inf NaN: inf NaN
sqrt  | NaN finite: NaN NaN | NaN NaN: NaN NaN | -inf +finite: +0 inf | inf +finite: inf +0
tanh  | +0 +0: +0 +0 | nonzero inf: NaN NaN | +0 inf: +0 NaN
tanh  | nonzero NaN: NaN NaN | +0 NaN: +0 NaN | inf +finite: 1 ~+0
tanh  | inf inf: 1 ~+0 | inf NaN: 1 ~+0 | NaN +0: NaN +0 | NaN nonzero: NaN NaN | NaN NaN: NaN NaN
"""


def cases(text):
    """(function, conditions, results), a row for each."""
    found = []
    for line in text.strip().splitlines():
        # |x| is no border: borders have spaces around them.
        name, *rows = line.split(" | ")
        for row in rows:
            conditions, results = row.split(": ")
            found.append((name.strip(), conditions.split(), results.split()))
    return found


ALIKE = {np.float32: 1e-6, np.float64: 1e-14, np.complex64: 1e-6, np.complex128: 1e-14}
OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "pow": operator.pow, "equal": operator.eq,
    "not_equal": operator.ne, "abs": operator.abs,
}  # fmt: skip
IN_PLACE = {
    "add": operator.iadd, "subtract": operator.isub, "multiply": operator.imul, "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv, "remainder": operator.imod, "pow": operator.ipow,
}  # fmt: skip


def wanted(word, operands):
    """(value, whether its sign counts)"""
    value = RESULTS[word.lstrip("~")]
    with np.errstate(all="ignore"):
        return (value(*operands) if callable(value) else value), not word.startswith("~")


def is_same(got, want, sign_counts, tolerance):
    if isinstance(want, bool):
        return bool(got) == want
    got, want = float(got), float(want)
    if np.isnan(want):
        return np.isnan(got)
    if sign_counts and np.signbit(got) != np.signbit(want):
        return False
    return abs(got) == abs(want) or abs(abs(got) - abs(want)) <= tolerance * abs(want)


def results_of(function, operands, dtype, device):
    """Of all cases at once, and one by one."""
    arrays = [np.array(column, dtype) for column in zip(*operands)]
    got = function(*(ks.array(x, device=device) for x in arrays)).numpy()
    # As many that vectors, what is left of them, and on a GPU many threads compute them.
    many = function(*(ks.array(np.tile(x, 300), device=device) for x in arrays)).numpy().reshape(300, -1)
    for each in many[[0, 7, -1]]:
        np.testing.assert_array_equal(each, got)
    yield from zip(operands, got)
    for case in operands[:2]:
        yield case, function(*(ks.array(x, dtype=dtype, device=device) for x in case)).numpy()[()]


def check(function, conditions, results, dtype, device):
    kind = np.dtype(dtype)
    values = [VALUES[word] for word in conditions]
    part = np.float32 if kind.itemsize == 4 or kind == np.complex64 else np.float64
    cases = [tuple(float(part(x)) for x in case) for case in itertools.product(*values)]
    operands = [(complex(*case),) for case in cases] if kind.kind == "c" else cases
    by_operand = dict(zip(map(str, operands), cases))
    for operand, got in results_of(function, operands, dtype, device):
        case = by_operand[str(operand)]
        case = case if len(case) == 2 else (*case, None)
        parts = (got.real, got.imag) if len(results) == 2 else (got,)
        for word, each in zip(results, parts):
            want, sign_counts = wanted(word, case)
            assert is_same(each, want, sign_counts, ALIKE[dtype]), (operand, got, results)


def name_of(row):
    name, conditions, results = row
    return f"{name}({' '.join(conditions)}) = {' '.join(results)}"


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("row", cases(REAL) + cases(PAIRS), ids=name_of)
def test_a_case_of_real_numbers(row, dtype, device):
    name, conditions, results = row
    check(getattr(ks, name), conditions, results, dtype, device)
    if name in OPERATORS:
        check(OPERATORS[name], conditions, results, dtype, device)
    if name in IN_PLACE:
        check(IN_PLACE[name], conditions, results, dtype, device)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["complex64", "complex128"])
@pytest.mark.parametrize("row", cases(COMPLEX), ids=name_of)
def test_a_case_of_complex_numbers(row, dtype, device):
    check(getattr(ks, row[0]), row[1], row[2], dtype, device)


PARTS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, -3.0, inf, -inf, nan]
ALL = np.array([complex(x, y) for x in PARTS for y in PARTS])
ELEMENTWISE = sorted({row[0] for row in cases(COMPLEX)} - {"abs", "isfinite", "isinf", "isnan"})


def complex_of(re, im):
    z = np.empty(re.shape, complex)
    z.real, z.imag = re, im
    return z


def computed(name, z, dtype, device):
    return getattr(ks, name)(ks.asarray(z.astype(dtype), device=device)).numpy()


def assert_parts(got, want, signs_where, dtype):
    for g, w, other in ((got.real, want.real, want.imag), (got.imag, want.imag, want.real)):
        open_sign = np.isnan(other) & np.isinf(w)  # beside NaN the standard leaves an infinity's sign open
        np.testing.assert_allclose(
            np.where(open_sign, abs(g), g), np.where(open_sign, abs(w), w), rtol=10 * ALIKE[dtype]
        )
        known = ~np.isnan(w) & signs_where
        np.testing.assert_array_equal(np.signbit(g)[known], np.signbit(w)[known])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["complex64", "complex128"])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_the_conjugate_has_the_conjugate_result(name, dtype, device):
    settled = np.isfinite(ALL) & ((name != "sign") | (ALL != 0))  # of others the standard leaves some signs open
    assert_parts(computed(name, ALL.conj(), dtype, device), computed(name, ALL, dtype, device).conj(), settled, dtype)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["complex64", "complex128"])
@pytest.mark.parametrize("name", ["asinh", "atanh", "sinh", "tanh", "cosh"])
def test_odd_and_even_functions(name, dtype, device):
    turned, plain = computed(name, -ALL, dtype, device), computed(name, ALL, dtype, device)
    assert_parts(turned, plain if name == "cosh" else -plain, np.isfinite(ALL), dtype)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["complex64", "complex128"])
@pytest.mark.parametrize(
    "name, other", [("sin", "sinh"), ("tan", "tanh"), ("asin", "asinh"), ("atan", "atanh"), ("cos", "cosh")]
)
def test_circular_functions_are_hyperbolic_ones_turned(name, other, dtype, device):
    h = computed(other, complex_of(-ALL.imag, ALL.real), dtype, device)
    want = h if name == "cos" else complex_of(h.imag, -h.real)
    assert_parts(computed(name, ALL, dtype, device), want, np.isfinite(ALL), dtype)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=["complex64", "complex128"])
@pytest.mark.parametrize("name, base", [("log2", 2), ("log10", 10)])
def test_logarithms_to_a_base_are_natural_ones_divided(name, base, dtype, device):
    log = computed("log", ALL, dtype, device)
    want = complex_of(log.real / np.log(base), log.imag / np.log(base))
    assert_parts(computed(name, ALL, dtype, device), want, np.isfinite(ALL), dtype)


NOTHING = [
    ("sum", 0), ("prod", 1), ("any", False), ("all", True), ("count_nonzero", 0), ("mean", nan), ("var", nan),
    ("std", nan),
]  # fmt: skip


@pytest.mark.parametrize("name, want", NOTHING, ids=[row[0] for row in NOTHING])
def test_of_no_elements(name, want, device):
    x = ks.ones((3, 0), dtype="float64", device=device)
    with np.errstate(all="ignore"):
        whole, rows = getattr(ks, name)(x), getattr(ks, name)(x, axis=1)
    assert whole.shape == () and rows.shape == (3,)
    np.testing.assert_array_equal(whole.numpy(), want)
    np.testing.assert_array_equal(rows.numpy(), np.full(3, want))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min"])
def test_nan_is_passed_on(name, device):
    x = np.ones((4, 300))
    x[1, 7] = x[3, 299] = nan
    got = getattr(ks, name)(ks.asarray(x, device=device), axis=1).numpy()
    np.testing.assert_array_equal(np.isnan(got), [False, True, False, True])
    assert np.isnan(float(getattr(ks, name)(ks.asarray(x, device=device))))
