"""Functions of math, heapq and cmath."""

import math

import numpy as np


def absolute(x):
    return abs(x)


def quotient_and_remainder(x, y):
    return x // y, x % y


def _times(a, b):
    """a * b, which wraps around nowhere."""
    if isinstance(a, int) and isinstance(b, int) and a != 0 and b != 0 and abs(b) > 9223372036854775807 // abs(a):
        raise OverflowError("the result does not fit into 64 bits")
    return a * b


_modulus = 2305843009213693951  # 2**61 - 1, by which Python's numbers are the same whatever their type


def _hash_of_tuple(items):
    code, n = np.uint64(2870177450012600261), 0
    for item in items:
        code += np.uint64(hash_of(item)) * np.uint64(14029467366897019727)
        code = ((code << np.uint64(31)) | (code >> np.uint64(33))) * np.uint64(11400714785074694791)
        n += 1
    whole = np.int64(code + (np.uint64(n) ^ np.uint64(2870177450013471926)))
    return 1546275796 if whole == -1 else whole


def hash_of(x):
    """Python's hash of a number: what it is modulo the prime; of NaN 0, where Python tells objects apart. Of a tuple that of its items."""
    if isinstance(x, tuple):
        return _hash_of_tuple(x)
    if isinstance(x, complex):
        code = _hash_of_float(x.real) + 1000003 * _hash_of_float(x.imag)
        return -2 if code == -1 else code
    if isinstance(x, float):
        return _hash_of_float(x)
    if isinstance(x, np.uint64):
        return np.int64(x % np.uint64(_modulus))
    if not isinstance(x, (int, bool)):
        raise TypeError("hash() takes a number")
    whole = int(x)
    code = whole % -_modulus if whole < 0 else whole % _modulus
    return -2 if code == -1 else code


def _hash_of_float(given):
    value = float(given)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return 314159 if value > 0 else -314159
    part, exponent = math.frexp(abs(value))
    code = 0
    while part != 0.0:  # 28 binary digits at a time
        code = ((code & (_modulus >> 28)) << 28) | (code >> 33)
        part *= 268435456.0
        exponent -= 28
        digits = int(part)
        part -= digits
        code += digits
        if code >= _modulus:
            code -= _modulus
    turn = exponent % 61
    code = ((code & (_modulus >> turn)) << turn) | (code >> (61 - turn))
    code = code if value > 0 else -code
    return -2 if code == -1 else code


def gcd(a, b):
    if not (isinstance(a, int) and isinstance(b, int)):
        raise TypeError("gcd() takes integers")
    x, y = abs(a), abs(b)
    while y != 0:
        x, y = y, x % y
    if x < 0:
        raise OverflowError("the result does not fit into 64 bits")
    return x


def lcm(a, b):
    common = gcd(a, b)
    return _times(abs(a) // common, abs(b)) if common > 0 else 0


def factorial(n):
    if not isinstance(n, int):
        raise TypeError("factorial() takes an integer")
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    product = 1
    for i in range(2, n + 1):
        product = _times(product, i)
    return product


def comb(n, k):
    if not (isinstance(n, int) and isinstance(k, int)):
        raise TypeError("comb() takes integers")
    if k < 0 or n < 0:
        raise ValueError("comb() takes no negative values")
    if k > n:
        return 0
    k = min(k, n - k)
    product = 1
    for i in range(1, k + 1):
        common = gcd(product, i)  # divided first: only what does not fit itself leaves 64 bits
        product = _times(product // common, (n - k + i) // (i // common))
    return product


def isqrt(n):
    if not isinstance(n, int):
        raise TypeError("isqrt() takes an integer")
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(math.sqrt(n))  # quotients are compared: squares may leave 64 bits
    while root > 0 and root > n // root:
        root -= 1
    while root + 1 <= n // (root + 1):
        root += 1
    return root


def modf(x):
    whole = np.trunc(x * 1.0)
    if math.isinf(x):
        return math.copysign(0.0, x), whole
    return math.copysign(x - whole, x), whole


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        raise TypeError("isclose() takes real numbers")
    return c_isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


def c_isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if not (isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex))):
        raise TypeError("isclose() takes numbers")
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def perm(n, k=None):
    if k is None:
        return factorial(n)
    if not (isinstance(n, int) and isinstance(k, int)):
        raise TypeError("perm() takes integers")
    if k < 0 or n < 0:
        raise ValueError("perm() takes no negative values")
    product = 1 if k <= n else 0
    for i in range(k if k <= n else 0):
        product = _times(product, n - i)
    return product


def dist(p, q):
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    total = 0.0
    for i in range(len(p)):
        total += (p[i] - q[i]) ** 2
    return math.sqrt(total)


def fsum(seq):
    """Neumaier's sum: what is lost at each step is kept and added at the end."""
    total, lost = 0.0, 0.0
    for x in seq:
        next_total = total + x
        if abs(total) >= abs(x):
            lost += (total - next_total) + x
        else:
            lost += (x - next_total) + total
        total = next_total
    return total + lost if math.isfinite(total) else total


def prod(seq):
    product = 1
    for x in seq:
        product = _times(product, x)
    return product


def phase(z):
    return math.atan2(np.imag(z), np.real(z))


def polar(z):
    return abs(complex(z)), phase(z)


def rect(r, phi):
    if r == 0.0 and not math.isfinite(phi):
        return complex(0.0, 0.0)
    if math.isinf(r) and not math.isfinite(phi):
        return complex(math.inf, math.nan)
    if math.isinf(r) and phi == 0.0:
        return complex(r, phi if r > 0.0 else -phi)
    return complex(r * math.cos(phi), r * math.sin(phi))


def c_isnan(z):
    return math.isnan(np.real(z)) or math.isnan(np.imag(z))


def c_isinf(z):
    return math.isinf(np.real(z)) or math.isinf(np.imag(z))


def c_isfinite(z):
    return math.isfinite(np.real(z)) and math.isfinite(np.imag(z))


def c_log(z, base=None):
    if base is None:
        return np.log(complex(z))
    return np.log(complex(z)) / np.log(complex(base))


def c_sqrt(z):
    return np.sqrt(complex(z))


def c_exp(z):
    return np.exp(complex(z))


def c_log10(z):
    return np.log10(complex(z))


def c_sin(z):
    return np.sin(complex(z))


def c_cos(z):
    return np.cos(complex(z))


def c_tan(z):
    return np.tan(complex(z))


def c_sinh(z):
    return np.sinh(complex(z))


def c_cosh(z):
    return np.cosh(complex(z))


def c_tanh(z):
    return np.tanh(complex(z))


def c_asin(z):
    return np.arcsin(complex(z))


def c_acos(z):
    return np.arccos(complex(z))


def c_atan(z):
    return np.arctan(complex(z))


def c_asinh(z):
    return np.arcsinh(complex(z))


def c_acosh(z):
    return np.arccosh(complex(z))


def c_atanh(z):
    return np.arctanh(complex(z))


def heappush(heap, item):
    heap.append(item)
    _up(heap, 0, len(heap) - 1)


def heappop(heap):
    last = heap.pop()
    if len(heap) > 0:
        first = heap[0]
        heap[0] = last
        _down(heap, 0)
        return first
    return last


def heapify(heap):
    for i in range(len(heap) // 2 - 1, -1, -1):
        _down(heap, i)


def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _down(heap, 0)
    return first


def heappushpop(heap, item):
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _down(heap, 0)
        return first
    return item


def nsmallest(n, iterable, key=None):
    ordered = sorted(iterable) if key is None else sorted(iterable, key=key)
    return ordered[: max(n, 0)]


def nlargest(n, iterable, key=None):
    ordered = sorted(iterable, reverse=True) if key is None else sorted(iterable, key=key, reverse=True)
    return ordered[: max(n, 0)]


def _up(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) // 2
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _down(heap, at):
    """heapq's own order of comparisons, so that equal items stand where Python has them."""
    end, start = len(heap), at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _up(heap, start, at)


def pow_modulo(base, exponent, modulus):
    if not (isinstance(base, int) and isinstance(exponent, int) and isinstance(modulus, int)):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    size = abs(modulus)
    if size < 0 or -exponent == exponent != 0:
        raise OverflowError("a number of pow() does not fit into 64 bits")
    square, left = base % size, exponent
    if exponent < 0:
        square, left = _inverse(base % size, size), -exponent
    result = 1 % size
    while left > 0:
        if left % 2:
            result = _product_modulo(result, square, size)
        square = _product_modulo(square, square, size)
        left //= 2
    return result + modulus if modulus < 0 and result > 0 else result


def _inverse(a, modulus):
    """Euclid's algorithm, with the factor of `a` in each remainder."""
    old, now, factor, following = a, modulus, 1, 0
    while now > 0:
        quotient = old // now
        old, now = now, old - quotient * now
        factor, following = following, factor - quotient * following
    if old != 1:
        raise ValueError("base is not invertible for the given modulus")
    return factor % modulus


def _product_modulo(a, b, modulus):
    if modulus <= 3037000500:  # squares fit into 64 bits
        return a * b % modulus
    total = 0
    while b > 0:
        if b % 2:
            total = total - (modulus - a) if total >= modulus - a else total + a
        a = a - (modulus - a) if a >= modulus - a else a + a
        b //= 2
    return total


def ldexp_of_arrays(x1, x2):
    if not (isinstance(x1, np.ndarray) or isinstance(x2, np.ndarray)):
        return math.ldexp(x1, x2)
    like = x1 * 1.0 + x2 * 0
    out = np.empty(like.shape, (x1 * 1.0).dtype)
    values, powers = np.broadcast_to(x1, out.shape).ravel(), np.broadcast_to(x2, out.shape).ravel()
    to = out.reshape(-1)
    for k in range(to.size):
        to[k] = math.ldexp(values[k], powers[k])
    return out
