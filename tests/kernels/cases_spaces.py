"""Which memory an address is of; products of bytes."""

import numpy as np
from corpus import Launch, Out, case

i32 = np.int32


@case("address_spaces.cu", "spaces")
def spaces(rng):
    glob, shared, local, constant = 1, 2, 4, 8
    t = np.arange(64)
    own = [glob, glob, shared, shared, local, local, constant, constant, glob, glob, local, local, glob]
    want = np.tile(np.array([*own, 0, 1, 0], i32), (64, 1))
    want[:, 13] = np.choose(t % 4, [local, shared, constant, glob])
    want[:, 15] = t % 9 * t + 63 - t
    pair = np.frombuffer(np.array([1, 2, 3], i32).tobytes(), np.dtype((np.void, 12)))[0]
    return Launch([Out(want), np.zeros(7, i32), i32(7), pair], (64, 1, 1), shared=64)


@case("byte_products.cu", "products")
def products(rng):
    x = rng.integers(-(2**31), 2**31, (3, 100)).astype(i32)
    x[:, :4] = np.array([[-(2**31), 2**31 - 1, -1, 0x7F7F7F7F]], i32)
    a, b, c = x
    bytes_of = lambda v, kind: np.frombuffer(v.tobytes(), kind).reshape(len(v), -1).astype(np.int64)  # noqa: E731
    want = []
    for byte, short in ((np.int8, np.int16), (np.uint8, np.uint16)):
        ab, bb, ash = bytes_of(a, byte), bytes_of(b, byte), bytes_of(a, short)
        four = c + (ab * bb).sum(1)
        low, high = c + (ash * bb[:, :2]).sum(1), c + (ash * bb[:, 2:]).sum(1)
        want += [four, four, low, low, high, high]
    return Launch(
        [a, b, c, Out(np.stack(want, 1).astype(np.uint64).astype(np.uint32).astype(i32)), i32(100)],
        (64, 1, 1),
        (2, 1, 1),
    )
