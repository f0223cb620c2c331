import importlib.util
import os
import sys

from timing import report, skip

if importlib.util.find_spec("torch") is None:
    skip("torch is not installed")
import torch

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _rates import rates

torch.set_num_threads(1)
second = {"power": "pow"}
report(rates(lambda name: getattr(torch, second.get(name, name), None), torch.from_numpy))
