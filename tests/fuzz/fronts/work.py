"""The process of a front: takes lines `first end`, says which seed it begins and what came of it."""

import json
import os
import sys
import warnings

from fuzz.fronts import Front


def work(name, target):
    warnings.simplefilter("ignore")
    say = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what programs print is not said to the driver
    front = Front(name)
    for line in sys.stdin:
        first, end = map(int, line.split())
        for seed in range(first, end):
            print(json.dumps({"seed": seed}), file=say)
            found = front.verdict(front.module.text(seed), target)
            if found:
                print(json.dumps({"seed": seed, "kind": found[0], "message": found[1]}), file=say)
        print(json.dumps({"end": end}), file=say)


if __name__ == "__main__":
    work(*sys.argv[1:])
