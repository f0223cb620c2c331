"""Starts _share.py as one process and as two, each with a GPU, and compares."""

import json
import pathlib
import subprocess
import sys

import kasoku as ks
from timing import report, skip

share = pathlib.Path(__file__).resolve().parent / "_share.py"


def figures(gpus):
    command = [sys.executable, "-m", "kasoku", "run", "--gpus", str(gpus), str(share)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if sum(device.kind == "cuda" for device in ks.devices()) < 2:
    skip("needs two GPUs")
one, two = figures(1), figures(2)
report(
    {
        "pi, one GPU": one["pi"],
        "pi, two GPUs over one": two["pi"] / one["pi"],
        "matmul float32, one GPU": one["matmul"],
        "matmul float32, two GPUs over one": two["matmul"] / one["matmul"],
        "all_reduce of 256 MB, two GPUs": two["all_reduce"],
    }
)
