/// \file ops.cpp
/// Python names of the elementwise operations and of products; operators.cpp has the operators. A new
/// row in ops.def needs nothing here: name, arity and text come from the table.
#include "arguments.h"
#include "array_object.h"
#include "described.h"
#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kernel_call.h"
#include "memory_order.h"
#include "numpy_functions.h"

#include <span>
#include <string>
#include <vector>

namespace kasoku {

namespace {

Operand must_be_operand(nb::handle object, Device& device) {
  std::optional<Operand> operand = operand_from(object, device);
  if (!operand)
    throw Error(ErrorKind::type, "no array can be made of a " + class_name(object));
  return std::move(*operand);
}

/// An array or a number of Python's own; false for any other object.
bool get_plain(nb::handle object, Plain& operand) {
  if (is_plain_array(object)) operand.array = array_inside(object);
  else if (get_plain_number(object, operand.number)) return true;
  else operand.array = array_of(object);
  return operand.array;
}

/// Whether a number of NumPy's gives with an array of that dtype what Python's own gives.
bool is_as_pythons(Dtype number, Dtype array) {
  if (number == Dtype::float64)
    return array != Dtype::float32 && array != Dtype::complex64 && info(array).size != 2;
  if (number == Dtype::float32) return array == Dtype::float32 || array == Dtype::float64;
  if (number == Dtype::int64) return array == Dtype::int64 || array == Dtype::float64;
  return number == Dtype::int32 && (array == Dtype::int32 || array == Dtype::int64 || array == Dtype::float64);
}

/// Such a number beside this operand.
bool get_as_pythons(nb::handle object, const Plain& beside, Plain& operand) {
  if (!beside.array) return false;
  const std::optional<NumpysNumber> number = numpys_number(object);
  if (!number || !is_as_pythons(number->dtype, beside.array->dtype())) return false;
  operand.number = number->value;
  return true;
}

Operand weak_operand(const Scalar& number) {
  Operand operand;
  operand.scalar = number;
  operand.weak = number.kind == DtypeKind::floating ? Weak::floating : Weak::integer;
  return operand;
}

/// Both operands of an operation; false if one is neither an array nor a number that adapts to the other one's dtype.
bool get_plain(nb::handle left, nb::handle right, Plain operands[2]) {
  if (!get_plain(left, operands[0])) return get_plain(right, operands[1]) && get_as_pythons(left, operands[1], operands[0]);
  return get_plain(right, operands[1]) || get_as_pythons(right, operands[0], operands[1]);
}

/// One operand or two of an operation; false for others.
bool get_plain(std::span<const nb::handle> objects, Plain operands[2]) {
  return objects.size() == 1 ? get_plain(objects[0], operands[0]) : objects.size() == 2 && get_plain(objects[0], objects[1], operands);
}

}  // namespace

std::optional<Operand> operand_beside(const Array& x, nb::handle object) {
  Plain number;
  return get_as_pythons(object, {&x, {}}, number) ? weak_operand(number.number) : operand_from(object, x.device());
}

bool again_into(nb::handle out, Op op, std::span<const nb::handle> objects) {
  Plain operands[2];
  const Array* const into = array_of(out);
  return into && get_plain(objects, operands) && (operands[0].array || operands[1].array) && apply_again_into(*into, op, {operands, objects.size()});
}

/// Most of the time of what reads an element, or computes one of such, is to make an object. A truth or a small number is one that stays,
/// as Python's own small numbers are; any other becomes one of the last, if nobody has that any more.
nb::object object_of(const Value& value) {
  if (!value.is_element || InFace::is_in()) return object_of(value.array());
  const DtypeKind kind = value.number.kind;
  const bool is_whole = kind == DtypeKind::boolean || kind == DtypeKind::signed_ || kind == DtypeKind::unsigned_;
  constexpr uint64_t n_small = 256, n_last = 4;
  static struct {
    PyObject* small[n_small];
    PyObject* last[n_last];
    uint64_t next;
  } kept[std::size(dtype_table)];
  static const Device* const device = value.device;
  auto& of = kept[static_cast<size_t>(value.dtype)];
  const uint64_t number = !is_whole ? n_small : kind == DtypeKind::boolean ? value.number.b : value.number.u;
  if (number < n_small && value.device == device) {
    PyObject*& place = of.small[number];
    if (!place) place = object_of(value.array()).release().ptr();
    return nb::borrow(place);
  }
#ifdef Py_GIL_DISABLED
  return object_of(value.array());  // another thread may take the last one meanwhile
#endif
  PyObject*& place = of.last[of.next++ % n_last];
  const bool is_free = place && Py_REFCNT(place) == 1 && !has_more(place);
  if (is_free && array_inside(place)->become(value.number, value.dtype, *value.device)) return nb::borrow(place);
  nb::object made = object_of(value.array());
  Py_XDECREF(std::exchange(place, Py_NewRef(made.ptr())));
  return made;
}

nb::object again(Op op, std::span<const nb::handle> objects) {
  Plain operands[2];
  if (!get_plain(objects, operands)) return {};
  const bool are_numbers = !operands[0].array && !operands[1].array;
  Array first;
  if (are_numbers) {  // of Python's, of which an array is made: the first one has a dtype
    Device& device = default_device();
    if (!runs_at_once(device)) return {};
    first = value(operands[0].number, operands[0].number.kind == DtypeKind::floating ? Dtype::float64 : Dtype::int64, device);
    operands[0].array = &first;
  }
  if (Value y; compute_again(op, {operands, objects.size()}, y)) {
    y.is_element &= !are_numbers || !InFace::is_in();
    return object_of(y);
  }
  Array y = apply_again(op, {operands, objects.size()});
  return y.is_null() ? nb::object() : object_of(std::move(y));
}

namespace {

/// The keywords of NumPy's ufuncs that say how: casting= and order=. Subclasses, `subok`, are none of ours.
struct Manner {
  nb::handle casting, order;

  /// The usual ones: the objects that literals of programs are too, so that most are told by their address.
  static nb::handle same_kind() {
    static PyObject* const text = PyUnicode_InternFromString("same_kind");
    return text;
  }
  static nb::handle kept() {
    static PyObject* const text = PyUnicode_InternFromString("K");
    return text;
  }
  static bool is(nb::handle word, nb::handle usual) {
    return !word.is_valid() || word.is(usual) || (PyUnicode_Check(word.ptr()) && PyUnicode_Compare(word.ptr(), usual.ptr()) == 0);
  }
  bool has_usual_casting() const { return is(casting, same_kind()); }
  bool has_usual_order() const { return is(order, kept()); }
  bool is_usual() const { return has_usual_casting() && has_usual_order(); }
};

/// What is computed of operands as casting= says: cast to the dtype that is asked for, or refused.
void cast_operands(Op op, std::span<Operand> operands, std::optional<Dtype> wanted, const std::string& casting) {
  Typed typed[3];
  for (size_t i = 0; i < operands.size(); ++i) typed[i] = {operands[i].dtype(), operands[i].weak};
  const OpTypes types = op_types(op, std::span<const Typed>(typed, operands.size()));
  const bool is_asked = wanted && *wanted != types.result;
  const Dtype compute = is_asked && types.result != Dtype::bool_ ? op_types(op, *wanted).compute : types.compute;
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand& x = operands[i];
    const Dtype to = operand_dtype(op, i, compute);
    if (x.weak == Weak::none && to != Dtype::bool_)
      must_cast(info(op).name, x.dtype(), to, casting);  // a truth is asked of any
    if (!is_asked || casting != "unsafe") continue;
    if (x.array)
      x.array = as_dtype(*x.array, to);
    else if (x.weak == Weak::floating && is_integer(to))
      x = Operand(static_cast<int64_t>(x.scalar.as_double()));
  }
}

nb::object call(Op op, std::initializer_list<nb::handle> objects, nb::handle out, nb::handle dtype,
                nb::handle where = Py_True, Manner manner = {}) {
  if (dtype.is_none() && where.ptr() == Py_True && manner.is_usual()) {
    if (!out.is_none() && again_into(out, op, objects)) return nb::borrow(out);
    if (nb::object result = out.is_none() ? again(op, objects) : nb::object(); result.is_valid()) return result;
  }
  Device* where_they_lie = &device_among(objects);
  Operand operands[3];
  size_t n = 0;
  bool has_array = false;
  for (nb::handle object : objects) {
    const Array* const beside = objects.size() == 2 && dtype.is_none() ? array_of(objects.begin()[1 - n]) : nullptr;
    Plain number;
    operands[n] = beside && get_as_pythons(object, {beside, {}}, number) ? weak_operand(number.number) : must_be_operand(object, *where_they_lie);
    has_array |= beside || operands[n].array;
    if (operands[n].array) where_they_lie = &operands[n].array->device();  // of another library's array
    ++n;
  }
  Device& device = *where_they_lie;
  if (!has_array) {
    const nb::handle number = *objects.begin();
    const Array made = array_from(number, device);
    const bool is_value = (PyFloat_CheckExact(number.ptr()) || PyLong_CheckExact(number.ptr())) && !InFace::is_in();
    operands[0] = is_value ? made.read_only() : made;
  }
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  const std::optional<Array> into = out_from(out);
  std::optional<Array> mask;
  if (where.ptr() != Py_True) {
    mask = mask_from(where, device);
    if (mask->dtype() != Dtype::bool_) throw Error(ErrorKind::type, "where= is a mask of bools, not of " + std::string(info(mask->dtype()).name));
  }
  const std::string casting = manner.has_usual_casting() ? "same_kind" : nb::cast<std::string>(manner.casting);
  const char order = manner.has_usual_order() ? 'K' : memory_order_from(manner.order);
  if (casting != "same_kind") cast_operands(op, {operands, n}, wanted, casting);
  Array result;
  {
    const GilUntilBlocked keep;
    result = apply_anew(op, std::span<const Operand>(operands, n), wanted);
    if (into && casting != "same_kind") {
      must_cast(info(op).name, result.dtype(), into->dtype(), casting);
      result = as_dtype(result, into->dtype());
    }
    if (order == 'F' && !into) result = copied_in_order(result, order);
    if (mask && !into) result = apply(Op::where, {*mask, result, Array::zeros({}, result.dtype(), device)});
  }
  if (!into) return settled_object_of(std::move(result));
  {
    const GilReleased release;
    store_result(*into, std::move(result), info(op).name, mask);
  }
  return nb::isinstance<nb::tuple>(out) ? nb::object(out[0]) : nb::borrow(out);
}

/// Whether all numbers of an integer dtype are on the other side of one of Python's: below 0 (side -1), above.
bool is_beyond(nb::handle number, Dtype dtype, int side) {
  if (!is_integer(dtype) || !PyLong_CheckExact(number.ptr())) return false;
  const size_t value_bits = 8 * info(dtype).size - (info(dtype).kind == DtypeKind::signed_);
  const nb::int_ most((uint64_t{1} << (value_bits - 1)) - 1 + (uint64_t{1} << (value_bits - 1)));
  const nb::int_ least(info(dtype).kind == DtypeKind::signed_ ? -(int64_t{1} << (value_bits - 1)) - (int64_t{1} << (value_bits - 1)) : 0);
  return PyObject_RichCompareBool(number.ptr(), side < 0 ? least.ptr() : most.ptr(), side < 0 ? Py_LT : Py_GT) == 1;
}

void bind_function(nb::module_& m, const char* name, Op op) {
  const OpInfo& row = info(op);
  const std::string doc = described(op);
  const auto out = nb::arg("out") = nb::none();
  const auto dtype = nb::arg("dtype") = nb::none();
  const auto where = nb::arg("where") = true;
  const auto casting = nb::arg("casting") = Manner::same_kind();
  const auto order = nb::arg("order") = Manner::kept();
  const auto subok = nb::arg("subok") = true;
  using nb::handle;
  if (row.arity == 1)
    m.def(
        name,
        [op](handle x, handle into, handle wanted, handle mask, handle rule, handle by, handle) {
          return call(op, {x}, into, wanted, mask, {rule, by});
        },
        nb::arg("x"), out, dtype, where, nb::kw_only(), casting, order, subok, doc.c_str());
  else if (row.arity == 2)
    m.def(
        name,
        [op](handle x, handle y, handle into, handle wanted, handle mask, handle rule, handle by, handle) {
          return call(op, {x, y}, into, wanted, mask, {rule, by});
        },
        nb::arg("x"), nb::arg("y"), out, dtype, where, nb::kw_only(), casting, order, subok, doc.c_str());
}

}  // namespace

nb::object product_of_arrays(const Array& x, const Array& y, Array (*compute)(const Array&, const Array&)) {
  const auto has_little = [&] { return x.size() * (y.ndim() > 1 ? y.shape().back() : 1) <= 1 << 14; };
  Array result;
  if (has_little()) {
    const GilUntilBlocked keep;
    result = compute(x, y);
  } else {
    const GilReleased release;
    result = compute(x, y);
  }
  return settled_object_of(std::move(result));
}

nb::object dot_product(const Array& x, const Array& y) { return product_of_arrays(x, y, dot); }

void bind_ops(nb::module_& m) {
  for (size_t i = 0; i < n_ops; ++i) bind_function(m, std::string(op_table[i].name).c_str(), static_cast<Op>(i));
  for (const OpAlias& alias : op_aliases()) m.attr(std::string(alias.name).c_str()) = m.attr(std::string(info(alias.op).name).c_str());
  m.def("where", [m](nb::handle condition, nb::handle x, nb::handle y) -> nb::object {
    if (!x.is_none() && !y.is_none()) return call(Op::where, {condition, x, y}, nb::none(), nb::none());
    if (!x.is_none() || !y.is_none()) throw Error(ErrorKind::value, "either both or neither of x and y should be given");
    static PyObject* const nonzero = nb::object(m.attr("nonzero")).release().ptr();
    return nb::handle(nonzero)(condition);
  }, nb::arg("condition"), nb::arg("x") = nb::none(), nb::arg("y") = nb::none(), described(Op::where).c_str());
  m.def(
      "clip",
      [](nb::handle x, nb::handle low, nb::handle high, nb::handle out, nb::handle a_min, nb::handle a_max,
         nb::handle wanted, nb::handle where, nb::handle casting, nb::handle order) {
        if (!a_min.is_none()) low = a_min;
        if (!a_max.is_none()) high = a_max;
        const Dtype dtype = nb::hasattr(x, "dtype") ? dtype_from(x.attr("dtype")) : Dtype::opaque;
        if (is_beyond(low, dtype, -1)) low = nb::none();
        if (is_beyond(high, dtype, 1)) high = nb::none();
        const auto called = [&](Op op, std::initializer_list<nb::handle> objects) {
          return call(op, objects, out, wanted, where, {casting, order});
        };
        if (low.is_none() && high.is_none()) return called(Op::positive, {x});
        if (low.is_none()) return called(Op::minimum, {x, high});
        if (high.is_none()) return called(Op::maximum, {x, low});
        return called(Op::clip, {x, low, high});
      },
      nb::arg("x"), nb::arg("min") = nb::none(), nb::arg("max") = nb::none(), nb::arg("out") = nb::none(),
      nb::kw_only(), nb::arg("a_min") = nb::none(), nb::arg("a_max") = nb::none(), nb::arg("dtype") = nb::none(),
      nb::arg("where") = true, nb::arg("casting") = Manner::same_kind(), nb::arg("order") = Manner::kept(),
      described(Op::clip).c_str());
  const auto product_of = [](nb::handle x, nb::handle y, auto* compute) {
    const Array *a = array_of(x), *b = array_of(y);
    if (a && b) return product_of_arrays(*a, *b, compute);
    Device& device = device_among({x, y});
    return product_of_arrays(array_from(x, device), array_from(y, device), compute);
  };
  const auto into = [](const char* name, nb::object result, nb::handle out, const std::string& casting) {
    return out.is_none() ? result : stored(name, nb::cast<Array&>(result), out, nb::none(), casting);
  };
  m.def(
      "matmul",
      [=](nb::handle x, nb::handle y, nb::handle out, nb::handle casting, nb::handle axes, nb::handle dtype,
          nb::handle order) {
        const bool is_usual = axes.is_none() && dtype.is_none() && Manner::is(order, Manner::kept());
        if (is_usual && out.is_none()) return product_of(x, y, matmul);
        const size_t n_axes = axes.is_none() ? 0 : nb::len(axes);
        if (!axes.is_none() && n_axes != 2 && n_axes != 3)
          throw Error(ErrorKind::value,
                      "matmul: axes= are those of both matrices and, unless they are the last, of the product");
        const std::string rule = nb::cast<std::string>(casting);
        const std::optional<Dtype> wanted = optional_dtype(dtype);
        const Extents last{-2, -1};
        Device& device = device_among({x, y});
        const auto matrices = [&](nb::handle given, size_t k) {
          Array array = array_from(given, device);
          if (wanted) {
            must_cast("matmul", array.dtype(), *wanted, rule);
            array = as_dtype(array, *wanted);
          }
          return n_axes ? moveaxis(array, *axes_from(nb::object(axes[k])), last) : array;
        };
        nb::object result = product_of_arrays(matrices(x, 0), matrices(y, 1), matmul);
        if (n_axes == 3)
          result = nb::cast(moveaxis(nb::cast<Array&>(result), last, *axes_from(nb::object(axes[2]))));
        if (!Manner::is(order, Manner::kept()) && memory_order_from(order) == 'F' && out.is_none())
          result = nb::cast(copied_in_order(nb::cast<Array&>(result), 'F'));
        return into("matmul", result, out, rule);
      },
      nb::arg("x"), nb::arg("y"), nb::arg("out") = nb::none(), nb::kw_only(), nb::arg("casting") = "same_kind",
      nb::arg("axes") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("order") = Manner::kept(),
      R"(The matrix product of the last two axes of x and y; the axes before broadcast.

A row is a matrix of one row on the left, of one column on the right, and that axis goes. On a CPU
a product of large matrices comes from BLAS where one is found, on a GPU from cuBLAS. axes= are two pairs of axes, where the
matrices of x and y lie, and if wanted a third, where those of the product go; casting= says how elements may be cast to out=
and to dtype=, in which the product is computed; order="F" has it lie by columns.
Returns an array in the common dtype, or out= with the elements. Inner lengths that differ, and numbers without axes, are a ValueError.

>>> ks.matmul([[1, 2], [3, 4]], [1, 1])
array([3, 7]))");
  m.def(
      "dot",
      [=](nb::handle x, nb::handle y, nb::handle out) {
        nb::object result = product_of(x, y, dot);
        const Array& product = nb::cast<Array&>(result);
        // NumPy hands the output's memory to BLAS.
        if (const std::optional<Array> target = out_from(out);
            target && (target->dtype() != product.dtype() || !target->is_contiguous()))
          throw Error(ErrorKind::value, fmt::format("dot: the output is of {} and in C order, as the product is",
                                                    info(product.dtype()).name));
        return into("dot", result, out, "same_kind");
      },
      nb::arg("x"), nb::arg("y"), nb::arg("out") = nb::none(),
      R"(The dot product: of two rows the sum of products, of matrices their product, with a number the product.

Of more axes it sums over the last axis of x and the last but one of y.
Returns an array in the common dtype, or out= with the elements, which has that dtype and lies in C order. Lengths that
differ are a ValueError.

>>> ks.dot([1, 2, 3], [4, 5, 6])
array(32))");
  add_method(m.attr("Array"), "dot", [product_of](nb::handle self, nb::handle other) { return product_of(self, other, dot); }, "ks.dot(self, other).");
  m.def("_few_at_once", [](bool value) { return few_at_once.exchange(value); }, nb::arg("value"), "Whether operations on few elements that are computed run at once; what it was. For tests.");
  m.def("_ops", [] {
    nb::list rows;
    for (const OpInfo& row : op_table) {
      if (row.name.starts_with('_')) continue;
      nb::list texts;
      for (std::string_view text : row.text) texts.append(nb::str(text.data(), text.size()));
      rows.append(nb::make_tuple(nb::str(row.name.data(), row.name.size()), row.arity, static_cast<int>(row.result), texts, static_cast<int>(row.domain), row.doc));
    }
    return rows;
  }, "The table of elementwise operations that have public names.");
}

}  // namespace kasoku
