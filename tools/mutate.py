#!/usr/bin/env python3
"""Which rows of ops.def could be wrong without a red test? Changes one text of a row at a time, in the memory of the process that
tests it, runs the tests of that row, and lists the changes that no test saw.

python3 tools/mutate.py [--sample N] [--seed N] [ROW …]

A survivor is either a hole in the tests or a change that changes nothing (`$1 + $0`); which of the two, somebody has to look.
"""

import argparse
import ctypes
import json
import os
import pathlib
import random
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
kinds = ("bool", "integer", "floating", "complex")
variable = "KASOKU_TEST_MUTANT"
# Code that the package brings along is found without the text, unless the text is to be shown.
own_text = {"KASOKU_TRACE": "text"}
# Each pattern at each place where it stands, by turns.
changes = [
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r"(?<=[( ])0 - ", ""), (r"-(?=\$0)", ""),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" & ", " | "), (r" \| ", " & "), (r" \^ ", " | "),
    (r"[~!](?=[$(])", ""), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<=\d)\.(\d)", ".9"),
    (r"maximum", "minimum"), (r"minimum", "maximum"), (r"floor", "ceil"), (r"ceil", "floor"),
    (r"^\w+\(\$0\)$", "$0"), (r"^\w+\(\$0, \$1\)$", "$0"), (r"\$0", "$1"), (r"\$1", "$0"), (r"\? \$1 : \$2", "? $2 : $1"),
]  # fmt: skip


# ── the rows, and what may be wrong with them ─────────────────────────────────────────────


def rows():
    for row in re.finditer(r"^OP\((.*)\)$", (root / "kasoku/codegen/ops.def").read_text(), re.M):
        cells = [cell.strip('"') for cell in re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,"]+?)\s*(?:,|$)', row[1])]
        if not cells[0].startswith("_"):  # parts of a function, whose tests have its name
            yield cells[0], int(cells[1]), cells[3:7]


def equal_of_integers(kind, text):
    """The change that changes nothing: of two equal integers either one is the greatest and the least."""
    if kinds[kind] == "integer" and text in ("$0 > $1 ? $0 : $1", "$0 < $1 ? $0 : $1"):
        return text.replace(" > ", " >= ").replace(" < ", " <= ")
    return text


def mutants():
    """(row, kind, text, changed text)."""
    for name, arity, texts in rows():
        for kind, text in enumerate(texts):
            if text in ("", "refused"):
                continue
            made = {}
            for pattern, instead in changes:
                for place in re.finditer(pattern, text):
                    changed = text[: place.start()] + instead + text[place.end() :]
                    if "$1" in changed and arity < 2 or "$0" not in changed and "$0" in text and arity == 1:
                        continue
                    made[changed] = None
            yield from (
                (name, kind, text, changed) for changed in made if changed not in (text, equal_of_integers(kind, text))
            )


# ── in the process of the tests ───────────────────────────────────────────────────────────


class View(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p)]

    def str(self):
        return ctypes.string_at(self.data, self.size).decode()


class Row(ctypes.Structure):
    """kasoku::OpInfo of codegen/ops.h."""

    _fields_ = [("name", View), ("arity", ctypes.c_int), ("result", ctypes.c_uint8), ("text", View * 4),
                ("domain", ctypes.c_uint8), ("doc", ctypes.c_char_p), ("call", ctypes.c_char_p),
                ("shown", ctypes.c_char_p)]  # fmt: skip


def pytest_configure(config):
    if variable not in os.environ:
        return
    from kasoku import _core

    name, kind, text, changed = json.loads(os.environ[variable])
    engine = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libkasoku.so" in line))
    table = (Row * len(_core._ops())).in_dll(engine, "_ZN6kasoku8op_tableE")
    (row,) = (row for row in table if row.name.str() == name)
    assert row.text[kind].str() == text, f"{name} has another text: is the engine built?"
    page = os.sysconf("SC_PAGESIZE")
    start = ctypes.addressof(table) // page * page
    size = ctypes.addressof(table) + ctypes.sizeof(table) - start
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), 3) == 0
    config.mutant = ctypes.create_string_buffer(changed.encode())  # lives as long as the tests
    row.text[kind] = View(len(changed.encode()), ctypes.addressof(config.mutant))


# ── one after the other ───────────────────────────────────────────────────────────────────


def is_seen(mutant):
    """Whether a test of the row fails; None if there is no test."""
    name = mutant[0].rstrip("_")
    tests = next(iter(root.glob("tests/python/**/test_array_ops.py")))
    wanted = f"((test_agrees_with_numpy or test_complex_numbers) and {name}-) or test_any_operands"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "mutate", tests, "-k", wanted, "--no-header"],
        env={**os.environ, **own_text, variable: json.dumps(mutant), "PYTHONPATH": str(root / "tools")},
        capture_output=True, text=True, cwd=root, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return done.returncode == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="so many of all changes, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("row", nargs="*", help="only these rows")
    options = parser.parse_args()
    every = [mutant for mutant in mutants() if not options.row or mutant[0] in options.row]
    chosen = (
        every if options.sample is None else random.Random(options.seed).sample(every, min(options.sample, len(every)))
    )
    survivors = []
    for number, mutant in enumerate(chosen, 1):
        name, kind, text, changed = mutant
        seen = is_seen(mutant)
        survivors += [] if seen else [mutant]
        print(
            f"{number:4}/{len(chosen)} {'seen    ' if seen else 'SURVIVED'} {name} {kinds[kind]}: {text} -> {changed}",
            flush=True,
        )
    print(f"{len(chosen)} of {len(every)} changes, {len(chosen) - len(survivors)} seen, {len(survivors)} survived")


if __name__ == "__main__":
    main()
