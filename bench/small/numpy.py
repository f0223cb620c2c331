import numpy as np
from small_statements import measure, report

x, y = np.arange(10, dtype="float32"), np.full(10, 1e-9, "float32")
figures = measure(np, x, y)
report({**figures, **{name + ", shared": value for name, value in figures.items()}})
