import os

from timing import fresh_cache, in_new_process, report

fresh_cache()
here = os.path.dirname(os.path.abspath(__file__))
text = """
import sys
sys.path.append({here!r})
import kasoku as ks
from _expressions import measure
with ks.default_device({place!r}):
    x = ks.linspace(1, 2, 10, dtype="float32")
    print(measure(ks, x, x + 1, lambda z: float(z[0])))
"""
found = {}
has_cuda = in_new_process("import kasoku as ks; print(int(ks.has_device('cuda')))")
for place in ("cpu", "cuda") if has_cuda else ("cpu",):
    for when in ("a new machine", "a new process"):
        found[f"{when}, {place}"] = in_new_process(text.format(here=here, place=place))
report(found)
