/// \file operators.cpp
/// Python's operators of Array, and who computes them: we, NumPy, or an object beside with rules of its own.
#include "array_object.h"
#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "numpy_functions.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kasoku {

namespace {

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

/// Types with an __array_ufunc__ of None take over; and, as beside NumPy's arrays, those without one that have a priority, unless
/// they are arrays of another library, which we read.
bool defers(nb::handle other) {
  if (const nb::object ufunc = nb::getattr(other, "__array_ufunc__", nb::handle()); ufunc.is_valid()) return ufunc.is_none();
  const nb::object priority = nb::getattr(other, "__array_priority__", nb::handle());
  return priority.is_valid() && PyNumber_Check(priority.ptr()) && nb::cast<double>(nb::float_(priority)) > 0 && !nb::hasattr(other, "__dlpack__");
}

/// An array of Dask's, whose operations are its own: it is told that ours may be its chunks.
bool is_computed_later(nb::handle other) {
  return nb::hasattr(other.type(), "__dask_graph__") && nb::hasattr(other, "__array_ufunc__");
}

/// What an object makes of an operation by NumPy's protocol.
nb::object by_its_ufuncs(Op op, nb::handle object, nb::handle left, nb::handle right) {
  const nb::object its = nb::getattr(object, "__array_ufunc__", nb::handle()), ufunc = nb::getattr(numpy(), std::string(info(op).name).c_str(), nb::handle());
  return its.is_valid() && ufunc.is_valid() ? its(ufunc, "__call__", left, right) : not_implemented();
}

nb::object computed_later(Op op, nb::handle dasks, nb::handle left, nb::handle right) {
  nb::module_::import_("kasoku._engines").attr("register_chunks")();
  return by_its_ufuncs(op, dasks, left, right);
}

/// Arrays of NumPy's with an arithmetic of their own: matrices, masked arrays. NumPy's arrays make way for them by the same number.
bool has_own_arithmetic(nb::handle other) {
  static PyTypeObject* const ndarray = reinterpret_cast<PyTypeObject*>(nb::object(numpy().attr("ndarray")).release().ptr());
  return Py_TYPE(other.ptr()) != ndarray && PyType_IsSubtype(Py_TYPE(other.ptr()), ndarray) &&
         nb::cast<double>(nb::float_(nb::object(other.attr("__array_priority__")))) > 0;
}

/// Its own operator is asked. Of a matrix it has been: it leaves products and powers to whoever knows them from the right.
nb::object by_own_arithmetic(Op op, nb::handle other, nb::handle right) {
  if (!is_array(right) || (op != Op::multiply && op != Op::power)) return not_implemented();
  const nb::object numbers = numpy().attr("asarray")(right);
  PyObject* result = op == Op::multiply ? PyNumber_Multiply(other.ptr(), numbers.ptr())
                                        : PyNumber_Power(other.ptr(), numbers.ptr(), Py_None);
  if (!result) nb::raise_python_error();
  return nb::steal(result);
}

nb::object by_numpys_ufunc(const std::string& name, nb::handle operands, const nb::dict& named = nb::dict()) {
  return call_numpy("numpy." + name, numpy().attr(name.c_str()), operands, named);
}

nb::object in_place_by_numpy(Op op, nb::handle self, nb::handle other) {
  nb::dict named;
  named["out"] = self;
  return by_numpys_ufunc(std::string(info(op).name), nb::make_tuple(self, other), named);
}

/// Whether the object's class leaves comparisons to Python's object, for which nothing else is equal.
bool is_equal_to_itself_alone(nb::handle object) {
  return PyType_GetSlot(Py_TYPE(object.ptr()), Py_tp_richcompare) == PyType_GetSlot(&PyBaseObject_Type, Py_tp_richcompare);
}

/// Whether the class has an `==` of its own and object's `!=`, which asks for the truth of what `==` gives.
bool has_equality_alone(nb::handle object) {
  const auto is_objects = [&](const char* name) {
    return nb::object(object.type().attr(name)).is(nb::object(nb::handle(reinterpret_cast<PyObject*>(&PyBaseObject_Type)).attr(name)));
  };
  return is_objects("__ne__") && !is_objects("__eq__") && !nb::hasattr(object, "__array_ufunc__");
}

nb::object unary(Op op, nb::handle self);

/// Where its `==` is false.
nb::object where_not_equal(nb::handle object, nb::handle array) {
  const nb::object same = object.attr("__eq__")(array);
  return is_array(same) ? unary(Op::logical_not, same) : not_implemented();
}

/// What NumPy has for an operator. Its operators are equal to nothing else, its ufuncs refuse to compare with it.
nb::object by_numpys_operator(Op op, nb::handle left, nb::handle right) {
  const std::string name(info(op).name);
  const char* const comparison = op == Op::equal ? "eq" : op == Op::not_equal ? "ne" : nullptr;
  if (!comparison) return by_numpys_ufunc(name, nb::make_tuple(left, right));
  return call_numpy("numpy." + name, nb::module_::import_("operator").attr(comparison), nb::make_tuple(left, right),
                    nb::dict());
}

nb::object binary(Op op, nb::handle left, nb::handle right) {
  if (numpy_tells_errors()) return by_numpys_operator(op, left, right);
  const nb::handle both[] = {left, right};
  if (nb::object result = again(op, both); result.is_valid()) return result;
  const bool is_reflected = !is_array(left);
  const Array& x = *array_of(is_reflected ? right : left);
  const nb::handle other = is_reflected ? left : right;
  const bool is_usual = is_array(other) || PyFloat_CheckExact(other.ptr()) || PyLong_CheckExact(other.ptr());
  if (!is_usual && defers(other)) return not_implemented();
  if (!is_usual && is_computed_later(other)) return computed_later(op, other, left, right);
  if (!is_usual && has_own_arithmetic(other)) return by_own_arithmetic(op, other, right);
  const auto by_numpy = [&] { return by_numpys_operator(op, left, right); };
  if (!is_usual && elements_are_numpys() && (is_of_other_elements(other) || has_rules_of_its_own(other)))
    return by_numpy();  // it has a dtype for them
  std::optional<Operand> y = operand_beside(x, other);
  if (!y && (op == Op::equal || op == Op::not_equal) &&
      (other.is_none() || PyUnicode_Check(other.ptr()) || PyBytes_Check(other.ptr()) ||
       is_equal_to_itself_alone(other)))  // no element is
    return nb::cast(full(x.shape(), Scalar::of(op == Op::not_equal), Dtype::bool_, x.device()));
  if (!y && op == Op::not_equal && has_equality_alone(other)) return where_not_equal(other, left);
  if (!y && elements_are_numpys() && !nb::hasattr(other, "__array_ufunc__")) return by_numpy();  // a fraction, a symbol
  if (!y) return by_its_ufuncs(op, other, left, right);
  Array result;
  {
    const GilUntilBlocked keep;
    Operand operands[2];
    operands[is_reflected] = x;
    operands[!is_reflected] = *std::move(y);
    result = apply_anew(op, operands);
  }
  return settled_object_of(std::move(result));
}

/// What `//` and `%` give.
nb::object quotient_and_rest(Op, nb::handle left, nb::handle right) {
  nb::object quotient = binary(Op::floor_divide, left, right);
  if (quotient.is(not_implemented())) return quotient;
  return nb::make_tuple(quotient, binary(Op::remainder, left, right));
}

nb::object unary(Op op, nb::handle self) {
  if (numpy_tells_errors()) return by_numpys_ufunc(std::string(info(op).name), nb::make_tuple(self));
  if (nb::object result = again(op, {&self, 1}); result.is_valid()) return result;
  Array result;
  {
    const GilUntilBlocked keep;
    const Operand operand = *array_of(self);
    result = apply_anew(op, {&operand, 1});
  }
  return settled_object_of(std::move(result));
}

nb::object in_place(Op op, nb::handle self, nb::handle other) {
  const Array& x = *array_of(self);
  if (x.state().is_read_only && x.state().view.shape.empty()) return binary(op, self, other);  // a value: the name gets another
  if (numpy_tells_errors()) return in_place_by_numpy(op, self, other);
  if (const nb::handle both[] = {self, other}; again_into(self, op, both)) return nb::borrow(self);
  const bool is_usual = is_array(other) || PyFloat_CheckExact(other.ptr()) || PyLong_CheckExact(other.ptr());
  if (!is_usual && elements_are_numpys() && is_of_other_elements(other)) return in_place_by_numpy(op, self, other);
  std::optional<Operand> y = operand_beside(x, other);
  if (!y) return not_implemented();
  {
    const GilUntilBlocked keep;
    apply_in_place(op, x, *y);
  }
  return nb::borrow(self);
}

nb::object matrix_product(Op, nb::handle left, nb::handle right) {
  const bool is_reflected = !is_array(left);
  const nb::handle other = is_reflected ? left : right;
  if (elements_are_numpys() && !is_array(other) && (is_of_other_elements(other) || has_rules_of_its_own(other)))
    return by_numpys_ufunc("matmul", nb::make_tuple(left, right));
  if (!is_array(other) && defers(other)) return not_implemented();  // a sparse matrix
  const Array& x = *array_of(is_reflected ? right : left);
  std::optional<Operand> y = operand_from(other, x.device());
  if (!y || !y->array) return not_implemented();
  return number_of_host(product_of_arrays(is_reflected ? *y->array : x, is_reflected ? x : *y->array, matmul));
}

/// The type's slots: the interpreter calls them without a look for a method's name. Where the left operand is no array,
/// the right one is.
template <auto function, Op op>
PyObject* of_two(PyObject* left, PyObject* right) {
  return guarded_as(left, right, [=] { return function(op, left, right).release().ptr(); });
}

template <Op op>
PyObject* of_self(PyObject* self) {
  return guarded_as(self, self, [=] { return unary(op, self).release().ptr(); });
}

/// NumPy's operator takes the square of truth values for one, which has 8 bits; its power of them has the integer's
/// dtype.
bool is_square_of_truth(PyObject* left, PyObject* right) {
  const Array* const x = array_of(left);
  return x && x->dtype() == Dtype::bool_ && !(x->is_read_only() && x->ndim() == 0) &&
         nb::int_(2).equal(nb::handle(right));
}

template <Op op>
PyObject* of_two_and_modulus(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return nb::object(not_implemented()).release().ptr();
  if (PyLong_CheckExact(right) && is_square_of_truth(left, right)) return of_self<Op::square>(left);
  return of_two<binary, op>(left, right);
}

template <Op op>
PyObject* into_self(PyObject* self, PyObject* other) {
  return guarded_as(self, other, [=] { return in_place(op, self, other).release().ptr(); });
}

/// The product, which has the left operand's shape and dtype, or is refused.
PyObject* into_self_product(PyObject* self, PyObject* other) {
  return guarded([=] {
    nb::object product = matrix_product(Op{}, self, other);
    if (product.is(not_implemented())) return product.release().ptr();
    const Array &x = *array_of(self), y = array_from(product, x.device());  // of two rows a number, under `kasoku run --numpy` one of NumPy's
    if (y.shape() != x.shape()) throw Error(ErrorKind::value, "@= of shapes " + str(x.shape()) + " and a product of shape " + str(y.shape()) + ": an array keeps its shape");
    {
      const GilReleased release;
      store_result(x, y, "matmul", std::nullopt);
    }
    return nb::borrow(self).release().ptr();
  });
}

template <Op op>
PyObject* into_self_of_three(PyObject* self, PyObject* other, PyObject* modulus) {
  if (modulus != Py_None) return nb::object(not_implemented()).release().ptr();
  return into_self<op>(self, other);
}

PyObject* compared(PyObject* self, PyObject* other, int comparison) {
  constexpr Op ops[] = {Op::less, Op::less_equal, Op::equal, Op::not_equal, Op::greater, Op::greater_equal};  // Py_LT …
  return guarded_as(self, other, [=] { return binary(ops[comparison], self, other).release().ptr(); });
}

}  // namespace

std::vector<PyType_Slot> operator_slots() {
  const auto slot = [](int id, auto* function) { return PyType_Slot{id, reinterpret_cast<void*>(function)}; };
#define KS_SLOTS(name, op) slot(Py_nb_##name, of_two<binary, Op::op>), slot(Py_nb_inplace_##name, into_self<Op::op>)
  return {KS_SLOTS(add, add),
          KS_SLOTS(subtract, subtract),
          KS_SLOTS(multiply, multiply),
          KS_SLOTS(true_divide, divide),
          KS_SLOTS(floor_divide, floor_divide),
          KS_SLOTS(remainder, remainder),
          KS_SLOTS(and, bitwise_and),
          KS_SLOTS(or, bitwise_or),
          KS_SLOTS(xor, bitwise_xor),
          KS_SLOTS(lshift, left_shift),
          KS_SLOTS(rshift, right_shift),
          slot(Py_nb_power, of_two_and_modulus<Op::power>),
          slot(Py_nb_inplace_power, into_self_of_three<Op::power>),
          slot(Py_nb_matrix_multiply, of_two<matrix_product, Op{}>),
          slot(Py_nb_inplace_matrix_multiply, into_self_product),
          slot(Py_nb_divmod, of_two<quotient_and_rest, Op{}>),
          slot(Py_nb_negative, of_self<Op::negative>),
          slot(Py_nb_positive, of_self<Op::positive>),
          slot(Py_nb_absolute, of_self<Op::absolute>),
          slot(Py_nb_invert, of_self<Op::invert>),
          slot(Py_tp_richcompare, compared)};
#undef KS_SLOTS
}

}  // namespace kasoku
