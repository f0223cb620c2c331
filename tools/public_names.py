#!/usr/bin/env python3
"""Writes tests/golden/public_names.txt: every public name of the package beside it. A name that comes or goes shows in its diff."""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
golden = root / "tests/golden/public_names.txt"


def public_names():
    """One name a line, with what it belongs to."""
    import kasoku as ks

    scopes = {
        "ks.": ks, "ks.emath.": ks.emath, "ks.fft.": ks.fft, "ks.lib.": ks.lib, "ks.linalg.": ks.linalg, "ks.random.": ks.random,
    }  # fmt: skip
    lines = [prefix + name for prefix, module in scopes.items() for name in sorted(module.__all__)]
    types = {"ks.Array.": ks.Array, "ks.random.Generator.": ks.random.Generator, "ks.ufunc.": type(ks.add)}
    lines += [prefix + name for prefix, kind in types.items() for name in sorted(dir(kind)) if not name.startswith("_")]
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    sys.path.insert(0, str(root / "python"))
    golden.write_text(public_names())
