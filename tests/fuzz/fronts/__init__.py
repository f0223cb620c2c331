"""Random programs of the front ends beside CUDA's kernels: kernels of elements, several kernels in a row,
compiled loops, programs of arrays.

A front is a module here with `text(seed)`, a program that can be read and run again, and `run(text, target)`, which
raises `Wrong` if kasoku and the reference differ.
"""

import importlib
import re
import sys

from fuzz import target as targets
from fuzz.fronts.words import Wrong
from fuzz.worker import Worker

FRONTS = ["elementwise", "launches", "loops", "arrays"]


class Front:
    """One of them by its name."""

    def __init__(self, name):
        self.name, self.module = name, importlib.import_module(f"fuzz.fronts.{name}")

    def verdict(self, text, target):
        """What is not right, as (kind, sentence), or None."""
        try:
            self.module.run(text, target)
        except Wrong as wrong:
            return "finding" if target == "check" else "wrong", str(wrong)[:4000]
        except Exception as error:  # what the engine says about a legal program is a failure of that program
            return "refused", f"{type(error).__name__}: {error}"[:4000]
        return None

    def worker(self, target, limit):
        """A process that runs programs; two engine threads, so that loops are shared."""
        offload = {"KASOKU_JIT_OFFLOAD": "1"} if target == "offload" else {}
        environment = {**targets.environment(target), "KASOKU_NUM_THREADS": "2", **offload}
        command = [sys.executable, "-m", "fuzz.fronts.work", self.name, target]
        return Worker(target, limit, command=command, environment=environment)

    def save(self, folder, target, seed, kind, message):
        self.write(folder / f"{self.name}-{target}-{seed}.py", target, kind, message, self.module.text(seed))

    def write(self, path, target, kind, message, text):
        comment = "".join(f"# {line}\n" for line in message.splitlines()[:8])
        path.write_text(f"# {self.name} on {target}: {kind}\n{comment}{text}")


def load(path):
    """The front, the target and the text that a file describes."""
    text = path.read_text()
    name, target = re.match(r"# (\w+) on ([\w-]+): ", text).groups()
    return Front(name), target, re.sub(r"\A(#.*\n)+", "", text)


def repeat(path, options):
    front, saved, text = load(path)
    target = options.target or saved
    found = front.verdict(text, target)
    print(f"{path} on {target}: {': '.join(found) if found else 'right'}")
    return int(found is not None)


def shrink_file(path, options):
    """Leaves out lines as long as the program fails in the same way; one that ends the process ends this too."""
    front, saved, text = load(path)
    target = options.target or saved
    failure = front.verdict(text, target)
    if failure is None:
        print(f"{path} on {target}: right")
        return 1

    def fails(lines):
        found = front.verdict("\n".join(lines) + "\n", target)
        return found and found[0] == failure[0] and (failure[0] != "refused" or found[1][:40] == failure[1][:40])

    lines, before = text.splitlines(), None
    while lines != before:
        before = list(lines)
        for k in reversed(range(len(lines))):
            if fails(lines[:k] + lines[k + 1 :]):
                del lines[k]
    small, text = path.with_name(path.stem + "-small.py"), "\n".join(lines) + "\n"
    front.write(small, target, *front.verdict(text, target), text)
    print(small.read_text())
    return 0
