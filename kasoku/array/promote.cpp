#include "kasoku/array/promote.h"

#include "kasoku/base/error.h"

#include <algorithm>
#include <string>

namespace kasoku {

namespace {

Dtype signed_of(size_t bytes) {
  return bytes == 1 ? Dtype::int8 : bytes == 2 ? Dtype::int16 : bytes == 4 ? Dtype::int32
                                                                           : Dtype::int64;
}

Dtype promote_integers(Dtype a, Dtype b) {
  const DtypeInfo &x = info(a), &y = info(b);
  if (x.kind == y.kind) return x.size >= y.size ? a : b;
  const Dtype with_sign = x.kind == DtypeKind::signed_ ? a : b;
  const Dtype without = x.kind == DtypeKind::signed_ ? b : a;
  if (info(with_sign).size > info(without).size) return with_sign;
  if (without == Dtype::uint64) return Dtype::float64;
  return signed_of(2 * info(without).size);
}

Dtype promote_floats(Dtype a, Dtype b) {
  if (info(a).size != info(b).size) return info(a).size > info(b).size ? a : b;
  return a == b ? a : Dtype::float32;  // float16 with bfloat16
}

Dtype promote_float_integer(Dtype floating, Dtype integer) {
  const size_t bytes = info(integer).size;
  if (bytes == 1) return floating;
  if (bytes == 2) return promote_floats(floating, Dtype::float32);
  return Dtype::float64;
}

bool is_exact(Dtype dtype) { return dtype == Dtype::bool_ || is_integer(dtype); }

}  // namespace

Dtype complex_of_parts(Dtype part) { return part == Dtype::float64 ? Dtype::complex128 : Dtype::complex64; }

Dtype real_part(Dtype dtype) {
  return dtype == Dtype::complex64    ? Dtype::float32
         : dtype == Dtype::complex128 ? Dtype::float64
                                      : dtype;
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a == Dtype::opaque || b == Dtype::opaque)
    throw Error(ErrorKind::type, "records have no common dtype with other arrays");
  if (a == Dtype::bool_) return b;
  if (b == Dtype::bool_) return a;
  if (is_complex(a) || is_complex(b)) return complex_of_parts(promote(real_part(a), promote(real_part(b), Dtype::float32)));
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_floating(a) && is_floating(b)) return promote_floats(a, b);
  return is_floating(a) ? promote_float_integer(a, b) : promote_float_integer(b, a);
}

Dtype promote(std::span<const Typed> operands) {
  Dtype strong = Dtype::opaque;
  Weak weak = Weak::none;
  bool any_strong = false;
  // Integers meet floats one by one, as in NumPy: int8 and uint8 would be an int16, which float16 does not hold.
  for (const bool exact : {false, true})
    for (const Typed& x : operands) {
      if (x.weak != Weak::none) {
        weak = std::max(weak, x.weak);
      } else if (is_exact(x.dtype) == exact) {
        strong = any_strong ? promote(strong, x.dtype) : x.dtype;
        any_strong = true;
      }
    }
  if (!any_strong)
    return weak == Weak::complex_    ? Dtype::complex128
           : weak == Weak::floating ? Dtype::float64
                                    : Dtype::int64;
  switch (weak) {
    case Weak::integer: return strong == Dtype::bool_ ? Dtype::int64 : strong;
    case Weak::floating: return is_exact(strong) ? Dtype::float64 : strong;
    case Weak::complex_:
      if (is_complex(strong)) return strong;
      return is_floating(strong) && strong != Dtype::float64 ? Dtype::complex64
                                                             : Dtype::complex128;
    default: return strong;
  }
}

OpTypes op_types(Op op, std::span<const Typed> operands) {
  const OpInfo& row = info(op);
  if (row.result == ResultRule::conditional) operands = operands.subspan(1);
  if (row.result != ResultRule::promoted || !row.text[1].empty() || row.text[2].empty()) return op_types(op, promote(operands));
  // Of floats alone: each operand becomes one before they meet, as NumPy looks for a loop. A number of a higher
  // kind than the arrays is one of its own dtype by then.
  const bool have_integers = std::any_of(operands.begin(), operands.end(), [](Typed x) { return x.weak == Weak::none && x.dtype != Dtype::bool_; });
  const bool have_floats = std::any_of(operands.begin(), operands.end(), [](Typed x) { return x.weak == Weak::none && !is_exact(x.dtype); });
  Typed floats[3];
  std::transform(operands.begin(), operands.end(), floats, [&](Typed x) {
    if (x.weak == Weak::integer ? !have_integers : !have_floats) x.weak = Weak::none;
    if (x.weak == Weak::none && is_exact(x.dtype)) x.dtype = promote(x.dtype, Dtype::float16);
    return x;
  });
  return op_types(op, promote(std::span<const Typed>(floats, operands.size())));
}

bool can_cast_same_kind(Dtype from, Dtype to) {
  const auto rank = [](Dtype d) {
    switch (info(d).kind) {
      case DtypeKind::boolean: return 0;
      case DtypeKind::unsigned_: return 1;
      case DtypeKind::signed_: return 2;
      case DtypeKind::floating: return 3;
      case DtypeKind::complex_: return 4;
      default: return 5;
    }
  };
  return rank(from) <= rank(to);
}

}  // namespace kasoku
