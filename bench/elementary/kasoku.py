import os
import sys

os.environ["KASOKU_NUM_THREADS"] = "1"
import kasoku as ks
from timing import report

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _rates import rates

report(rates(lambda name: getattr(ks, name), lambda x: ks.array(x, device="cpu"), ks.eval))
