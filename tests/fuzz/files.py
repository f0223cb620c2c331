"""A kernel as one file: comments that say how it is launched and what it must leave, then its text.

// What was wrong with it, in any words.
// seed 17; grid 5; block 8 4 3; shared 0
// zeros u4 480; data u4 487 17; scalar u4 487
// crc 5d8c1f00
"""

import pathlib
import re
import zlib

from fuzz.kernels import Kernel


def crc(buffers):
    """Of all buffers, one after another."""
    value = 0
    for buffer in buffers:
        value = zlib.crc32(buffer.tobytes(), value)
    return value


def save(path, kernel, expected, *remarks):
    """`expected` are the buffers that it must leave, or None where nobody knows."""
    words = lambda values: " ".join(map(str, values))
    lines = [line for remark in remarks for line in remark.splitlines()[:1]]
    lines.append(f"seed {kernel.seed}; grid {words(kernel.grid)}; block {words(kernel.block)}; shared {kernel.shared}")
    lines.append("; ".join(map(words, kernel.parameters)))
    if expected is not None:
        lines.append(f"crc {crc(expected):08x}")
    path.write_text("".join(f"// {line}\n" for line in lines) + kernel.text)


def load(path):
    """The kernel, and the CRC of what it must leave (None where the file does not say)."""
    head = re.match(r"(// .*\n)+", text := pathlib.Path(path).read_text())[0]
    said = dict(re.findall(r"\b(seed|grid|block|shared|crc) ([0-9a-f ]+?)(?=;|\n)", head))
    parameters = re.search(r"^// ((zeros|data|scalar|unordered) .*)$", head, flags=re.M)[1]
    shape = lambda word: tuple(map(int, said[word].split()))
    number = lambda word: int(word) if re.fullmatch(r"-?\d+", word) else word
    kernel = Kernel(
        int(said.get("seed", 0)), text[len(head) :], shape("grid"), shape("block"), int(said.get("shared", 0)),
        [tuple(map(number, parameter.split())) for parameter in parameters.split("; ")],
    )  # fmt: skip
    return kernel, int(said["crc"], 16) if "crc" in said else None
