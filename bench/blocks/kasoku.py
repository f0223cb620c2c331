import kasoku as ks
from _launches import figures, text
from timing import report

module = ks.RawModule(code=text)
report(figures(module.get_function, ks.array, lambda v: v.numpy(), ks.synchronize))
