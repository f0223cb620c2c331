/// \file python/src/jit_convert.cpp
/// Arguments of declared signatures: types as Python describes them, values on their way to another type.
#include "jit_read.h"
#include "jit_records.h"
#include "jit_values.h"
#include "kasoku/base/error.h"
#include "kasoku/base/half.h"
#include "kasoku/base/overflow_error.h"
#include "to_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kasoku {

using namespace jit;

Type type_of_description(nb::handle given) {
  if (!PyTuple_Check(given.ptr()) || PyTuple_Size(given.ptr()) == 0)
    throw Error(ErrorKind::type, fmt::format("{} is not a type of a signature", nb::cast<std::string>(nb::repr(given))));
  nb::tuple t = nb::borrow<nb::tuple>(given);
  const std::string name = nb::cast<std::string>(t[0]);
  if (name == "none" || name == "void") return Type::none();
  if (name == "unicode_type") return Type::of(TypeKind::text);
  if (name == "str") return string_type;
  if (name == "record") return record_type(t[1]);
  if (name == "records") {
    Type type = Type::array(Dtype::opaque, nb::cast<int>(t[2]), nb::cast<bool>(t[3]));
    type.items = {record_type(t[1])};
    type.is_read_only = nb::cast<bool>(t[4]);
    return type;
  }
  if (name == "dict") return Type::dict(type_of_description(t[1]), type_of_description(t[2]));
  if (name == "set") return Type::set(type_of_description(t[1]));
  if (name == "list") return Type::list(type_of_description(t[1]));
  if (name == "tuple") {
    std::vector<Type> items;
    for (nb::handle item : nb::object(t[1])) items.push_back(type_of_description(item));
    return Type::tuple(std::move(items));
  }
  const auto dtype = dtype_from_name(name);
  if (!dtype) throw Error(ErrorKind::type, "unknown type in a signature: " + name);
  if (*dtype == Dtype::bfloat16)
    throw Error(ErrorKind::type, name + " in a signature cannot be compiled").fix("use float32");
  const int ndim = nb::cast<int>(t[1]);
  if (ndim < 0) return Type::scalar(*dtype);
  Type type = Type::array(*dtype, ndim, nb::cast<bool>(t[2]));
  type.is_read_only = nb::cast<bool>(t[3]);
  return type;
}

nb::object description(const Type& type) {
  switch (type.kind) {
    case TypeKind::scalar: return nb::make_tuple(std::string(info(type.dtype).name), -1, false, false);
    case TypeKind::record:
      if (type.is_generator()) return nb::make_tuple(type.text);
      return nb::make_tuple("record", dtype_of_record(type));
    case TypeKind::array:
      if (type.has_records())
        return nb::make_tuple("records", dtype_of_record(type.items[0]), static_cast<int>(type.ndim), type.is_contiguous, type.is_read_only);
      return nb::make_tuple(std::string(info(type.dtype).name), static_cast<int>(type.ndim), type.is_contiguous, type.is_read_only);
    case TypeKind::tuple: {
      nb::list items;
      for (const Type& item : type.items) items.append(description(item));
      return nb::make_tuple("tuple", items);
    }
    case TypeKind::list: return nb::make_tuple("list", description(type.items[0]));
    case TypeKind::dict: return nb::make_tuple("dict", description(type.items[0]), description(type.items[1]));
    case TypeKind::set: return nb::make_tuple("set", description(type.items[0]));
    case TypeKind::none: return nb::make_tuple("none");
    case TypeKind::text: return nb::make_tuple("unicode_type");
    case TypeKind::string: return nb::make_tuple("str");
    default: return nb::make_tuple(str(type));
  }
}

namespace {

struct Number {
  double real = 0, imaginary = 0;
  int64_t integer = 0;
};

Number number_of(const Type& type, const uint64_t* words) {
  Number number;
  float single;
  switch (type.dtype) {
    case Dtype::complex64:
    case Dtype::complex128:
      std::memcpy(&number.imaginary, words + 1, 8);
      [[fallthrough]];
    case Dtype::float64: std::memcpy(&number.real, words, 8); break;
    case Dtype::float32:
      std::memcpy(&single, words, 4);
      number.real = single;
      break;
    case Dtype::float16: number.real = half_to_float(static_cast<uint16_t>(*words)); break;
    case Dtype::bool_: number.integer = static_cast<int64_t>(*words & 1); break;
    case Dtype::int8: number.integer = static_cast<int8_t>(*words); break;
    case Dtype::int16: number.integer = static_cast<int16_t>(*words); break;
    case Dtype::int32: number.integer = static_cast<int32_t>(*words); break;
    case Dtype::uint8: number.integer = static_cast<uint8_t>(*words); break;
    case Dtype::uint16: number.integer = static_cast<uint16_t>(*words); break;
    case Dtype::uint32: number.integer = static_cast<uint32_t>(*words); break;
    default: std::memcpy(&number.integer, words, 8);
  }
  if (is_floating(type.dtype) || is_complex(type.dtype)) {
    // What lies outside becomes the least integer, as x86 converts.
    constexpr double limit = 9223372036854775808.0;
    number.integer = number.real >= -limit && number.real < limit ? static_cast<int64_t>(number.real)
                                                                  : std::numeric_limits<int64_t>::min();
  } else {
    number.real = type.dtype == Dtype::uint64 ? static_cast<double>(static_cast<uint64_t>(number.integer))
                                              : static_cast<double>(number.integer);
  }
  return number;
}

void put_number(const Number& number, const Type& from, const Type& to, uint64_t* words) {
  const bool is_real = is_floating(from.dtype) || is_complex(from.dtype);
  *words = 0;
  if (is_complex(to.dtype)) std::memcpy(words + 1, &number.imaginary, 8);
  if (is_complex(to.dtype) || to.dtype == Dtype::float64) {
    std::memcpy(words, &number.real, 8);
  } else if (to.dtype == Dtype::float32) {
    const auto single = static_cast<float>(number.real);
    std::memcpy(words, &single, 4);
  } else if (to.dtype == Dtype::float16) {
    *words = float_to_half(to_odd(number.real));
  } else if (to.dtype == Dtype::bool_) {
    *words = is_real ? number.real != 0 : number.integer != 0;
  } else {
    std::memcpy(words, &number.integer, info(to.dtype).size);
  }
}

}  // namespace

void refuse_negative(PyObject* value, const Type& from, const Type& to) {
  if (from.is_tuple() && to.is_tuple())
    for (size_t i = 0; i < to.items.size(); ++i)
      refuse_negative(PyTuple_GetItem(value, static_cast<Py_ssize_t>(i)), from.items[i], to.items[i]);
  if (!from.is_integer() || !to.is_integer() || info(from.dtype).kind != DtypeKind::signed_ ||
      info(to.dtype).kind != DtypeKind::unsigned_)
    return;
  uint64_t word, *at = &word;
  if (!pack(value, from, at) || number_of(from, &word).integer >= 0) return;
  throw OverflowError(
      fmt::format("{} is negative, and the signature says {}", number_of(from, &word).integer, info(to.dtype).name));
}

bool pack_converted(PyObject* value, const Type& from, const Type& to, uint64_t*& words, Offloaded* offloaded) {
  if (from.is_scalar() && to.is_scalar() && from != to) {
    uint64_t own[2], *at = own;
    if (!pack(value, from, at, offloaded)) return false;
    put_number(number_of(from, own), from, to, words);
    words += is_complex(to.dtype) ? 2 : 1;
    return true;
  }
  if (from.is_tuple() && to.is_tuple()) {
    for (size_t i = 0; i < to.items.size(); ++i)
      if (!pack_converted(PyTuple_GetItem(value, static_cast<Py_ssize_t>(i)), from.items[i], to.items[i], words, offloaded)) return false;
    return true;
  }
  return pack(value, from, words, offloaded);  // arrays have the same words whatever is known of them
}

}  // namespace kasoku
