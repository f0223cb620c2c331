import numpy as np
from small_statements import measure, report

import kasoku as ks

x, y = np.arange(10, dtype="float32"), np.full(10, 1e-9, "float32")
own = measure(ks, ks.array(x), ks.array(y))
shared = measure(ks, ks.asarray(x.copy()), ks.asarray(y.copy()), ", shared")
report({**own, **shared})
