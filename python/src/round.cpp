/// \file round.cpp
/// ks.round().
#include "arguments.h"
#include "array_object.h"
#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <cmath>
#include <string>

namespace kasoku {

using namespace nb::literals;

Array rounded(const Array& x, int decimals) {
  if (x.dtype() == Dtype::bool_ && decimals == 0) return apply(Op::rint, {x});  // float16, as NumPy's
  if (!is_floating(x.dtype())) {
    if (x.dtype() == Dtype::bool_) throw Error(ErrorKind::type, "round of bools is to 0 decimals");
    if (decimals >= 0) return copy(x);  // what is written to the result is not in x
    const double unit = std::pow(10.0, -decimals);
    return astype(apply(Op::multiply, {apply(Op::rint, {apply(Op::divide, {astype(x, Dtype::float64), unit})}), unit}), x.dtype());
  }
  if (decimals == 0) return apply(Op::rint, {x});
  const double unit = std::pow(10.0, std::abs(decimals));
  if (decimals > 0) return apply(Op::divide, {apply(Op::rint, {apply(Op::multiply, {x, unit})}), unit});
  return apply(Op::multiply, {apply(Op::rint, {apply(Op::divide, {x, unit})}), unit});
}

nb::object round_of(nb::handle object, int decimals, nb::handle out) {
  Array x = array_from(object, default_device());
  if (is_complex(x.dtype())) {  // as numbers of their own: divided by a complex unit they would be rounded once more
    const nb::object numbers = nb::cast(copy(expand_dims(x, {-1}))).attr("view")(std::string(info(real_part(x.dtype())).name));
    const nb::object whole = round_of(numbers, decimals, nb::none()).attr("view")(std::string(info(x.dtype()).name));
    return stored("round", reshape(nb::cast<Array&>(whole), x.shape()), out, nb::none(), "same_kind");
  }
  return stored("round", without_lock([&] { return rounded(x, decimals); }), out, nb::none(), "same_kind");
}

void bind_round(nb::module_& m) {
  m.def("round", &round_of, "x"_a, "decimals"_a = 0, "out"_a = nb::none(),
R"(The elements rounded to a number of decimals, halves to even; negative decimals= round to tens and so on.

Computed as rint(x * 10**decimals) / 10**decimals, so a half that no float has exactly goes by the float there is.
Returns an array of the shape and dtype of x, or out= with the elements; integers stay what they are. Parts of complex numbers are rounded apart.

>>> ks.round([1.25, 2.55, -0.5], 1)
array([ 1.2,  2.6, -0.5]))");
  m.attr("around") = m.attr("round");
}

}  // namespace kasoku
