"""xoroshiro128+ in kernels, as published by Blackman and Vigna; states by SplitMix64 and jumps of 2**64."""

import numpy as np

from ._arrays import to_device

_MASK = (1 << 64) - 1
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)


def _rotl(x, k):
    return ((x << k) | (x >> (64 - k))) & _MASK


def _next(s0, s1):
    s1 ^= s0
    return _rotl(s0, 55) ^ s1 ^ ((s1 << 14) & _MASK), _rotl(s1, 36)


def _split_mix(z):
    z = (z + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def _jump(s0, s1):
    a = b = 0
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                a, b = a ^ s0, b ^ s1
            s0, s1 = _next(s0, s1)
    return a, b


def _step_matrix():
    """The generator's step is linear over bits: its jump as 128 pairs of words."""
    rows = np.empty((128, 2), np.uint64)
    for bit in range(128):
        s0, s1 = (1 << bit, 0) if bit < 64 else (0, 1 << (bit - 64))
        rows[bit] = _jump(s0, s1)
    return rows


_matrix = None


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """States for n threads, each 2**64 draws apart from the one before."""
    return to_device(_states(n, seed, subsequence_start), stream)


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Sets states as create_xoroshiro128p_states makes them."""
    states.copy_to_device(_states(len(states), seed, subsequence_start), stream)


def init_xoroshiro128p_states_cpu(states, seed, subsequence_start=0):
    """Sets states that are in a NumPy array."""
    states[...] = _states(len(states), seed, subsequence_start)


def _states(n, seed, subsequence_start):
    global _matrix
    if _matrix is None:
        _matrix = [[(int(a), int(b)) for a, b in _step_matrix()]]
    z = _split_mix(int(seed) & _MASK)
    state = (z, z)
    for _ in range(subsequence_start):
        state = _jump(*state)
    # Jumps of 2**k states at once: the matrix squared, so that a million states take seconds less.
    states = np.empty((n, 2), np.uint64)
    if n == 0:
        return states
    states[0] = state
    done, level = 1, 0
    while done < n:
        if level == len(_matrix):
            _matrix.append(_square(_matrix[-1]))
        count = min(done, n - done)
        states[done : done + count] = _apply(_matrix[level], states[:count])
        done, level = done + count, level + 1
    return states


def _apply(rows, states):
    out = np.zeros_like(states)
    for bit, (a, b) in enumerate(rows):
        word, shift = (0, bit) if bit < 64 else (1, bit - 64)
        chosen = (states[:, word] >> np.uint64(shift)) & np.uint64(1)
        mask = np.uint64(0) - chosen
        out[:, 0] ^= mask & np.uint64(a)
        out[:, 1] ^= mask & np.uint64(b)
    return out


def _square(rows):
    states = np.array(rows, np.uint64)
    return [(int(a), int(b)) for a, b in _apply(rows, states)]


def _in_kernels(name):
    def word(states, index):
        from .._jit import TypingError

        raise TypingError(f"{name} belongs in a kernel")

    word.__name__ = word.__qualname__ = name
    return word


for _name in ("next", "uniform_float32", "uniform_float64", "normal_float32", "normal_float64"):
    globals()[f"xoroshiro128p_{_name}"] = _in_kernels(f"xoroshiro128p_{_name}")
