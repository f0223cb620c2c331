"""cupy.testing: comparing what cupy and NumPy compute, and running a test for many dtypes."""

from ._arrays import (  # noqa: F401
    assert_allclose,
    assert_array_almost_equal,
    assert_array_almost_equal_nulp,
    assert_array_equal,
    assert_array_less,
    assert_array_list_equal,
    assert_array_max_ulp,
    generate_matrix,
    shaped_arange,
    shaped_linspace,
    shaped_random,
    shaped_reverse_arange,
)
from ._both import (  # noqa: F401
    numpy_cupy_allclose,
    numpy_cupy_array_almost_equal,
    numpy_cupy_array_almost_equal_nulp,
    numpy_cupy_array_equal,
    numpy_cupy_array_less,
    numpy_cupy_array_list_equal,
    numpy_cupy_array_max_ulp,
    numpy_cupy_equal,
    numpy_cupy_raises,
)
from ._cases import (  # noqa: F401
    for_all_dtypes,
    for_all_dtypes_combination,
    for_CF_orders,
    for_complex_dtypes,
    for_contiguous_axes,
    for_dtypes,
    for_dtypes_combination,
    for_float_dtypes,
    for_int_dtypes,
    for_int_dtypes_combination,
    for_orders,
    for_signed_dtypes,
    for_signed_dtypes_combination,
    for_unsigned_dtypes,
    for_unsigned_dtypes_combination,
    parameterize,
    product,
    product_dict,
)
from ._conditions import (  # noqa: F401
    AssertFunctionIsCalled,
    NumpyAliasBasicTestBase,
    NumpyAliasValuesTestBase,
    assert_function_is_called,
    assert_warns,
    fix_random,
    generate_seed,
    installed,
    multi_gpu,
    numpy_satisfies,
    slow,
    with_requires,
)

# The places that these have in CuPy, which tests import from as well.
from . import _arrays as _array  # noqa: E402, F401
from . import _cases as _loops  # noqa: E402, F401
from . import _cases as _parameterized  # noqa: E402, F401
from . import _conditions as _attr  # noqa: E402, F401
from . import _conditions as _condition  # noqa: E402, F401
from . import _conditions as _helper  # noqa: E402, F401
from . import _conditions as _random  # noqa: E402, F401
from . import _hypothesis  # noqa: E402, F401
