/// \file face.cpp
/// Operations of a face's tensors: a Python class that holds an array under one name. What the
/// operands become is the face's own rule, a Python function; here its answers are kept, so that
/// tensors and numbers of kinds that have been seen meet without any Python. Everything else (other
/// arguments, refusals and their words) is the face's function of the operation.
#include "array_object.h"
#include "convert.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/reduce.h"
#include "kasoku/base/error.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

constexpr size_t n_dtypes = std::size(dtype_table);

/// What a rule can tell operands apart by: dtype and whether there are axes, or which kind of number.
enum Kind : uint8_t { number_bool = 2 * n_dtypes, number_int, number_float, number_complex, n_kinds, not_plain };

/// One of a class's __slots__, read and written without a look at its name.
class Slot {
 public:
  Slot(nb::handle cls, const std::string& name)
      : cls_(nb::borrow(cls)), member_(cls.attr(name.c_str())),
        get_(reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(member_.ptr()), Py_tp_descr_get))),
        set_(reinterpret_cast<descrsetfunc>(PyType_GetSlot(Py_TYPE(member_.ptr()), Py_tp_descr_set))) {
    if (!get_ || !set_) throw Error(ErrorKind::type, name + " is not one of the class's __slots__");
  }

  bool is_of(PyObject* object) const { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == cls_.ptr(); }

  nb::object read(PyObject* object) const {
    nb::object value = nb::steal(get_(member_.ptr(), object, cls_.ptr()));
    if (!value.is_valid()) throw nb::python_error();
    return value;
  }

  nb::object make(nb::object value) const {
    nb::object object = nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(cls_.ptr()), 0));
    if (!object.is_valid() || set_(member_.ptr(), object.ptr(), value.ptr()) != 0) throw nb::python_error();
    return object;
  }

 private:
  const nb::object cls_, member_;
  const descrgetfunc get_;
  const descrsetfunc set_;
};

class Face {
 public:
  Face(nb::handle cls, const std::string& slot, nb::object rule) : tensor_(cls, slot), rule_(std::move(rule)) { forget(); }

  /// Objects of another class, which hold a tensor, count as it.
  void hold_in(nb::handle cls, const std::string& slot) { holder_.emplace(cls, slot); }

  /// The rule gives other answers from now on.
  void forget() {
    for (auto& answers : known_)
      for (std::atomic<uint8_t>& answer : answers) answer.store(unknown, std::memory_order_relaxed);
  }

  /// The tensor that the operation gives; nothing if the face has to look at it itself.
  nb::object apply(Op op, bool wants_float, nb::handle x, nb::handle y) const {
    std::optional<Array> result = compute(op, wants_float, x, y);
    if (!result) return {};
    settle(*result);
    return tensor_.make(object_of(std::move(*result)));
  }

  /// The result becomes the elements of a tensor of its dtype and shape; false for any other.
  bool apply_into(nb::handle out, Op op, bool wants_float, nb::handle x, nb::handle y) const {
    if (!tensor_.is_of(out.ptr())) return false;
    std::optional<Array> result = compute(op, wants_float, x, y);
    if (!result) return false;
    const nb::object held = tensor_.read(out.ptr());
    const Array& own = nb::cast<Array&>(held);
    if (result->dtype() != own.dtype() || result->shape() != own.shape() || &result->device() != &own.device()) return false;
    for (size_t d = 0; d < own.shape().size(); ++d)
      if (own.strides()[d] == 0 && own.shape()[d] > 1) return false;  // an element twice
    const GilUntilBlocked keep;
    own.assign(std::exchange(*result, Array()));
    own.data();
    return true;
  }

 private:
  static constexpr uint8_t unknown = 255, own_way = 254;

  struct Seen {
    uint8_t kind = not_plain;
    nb::object array;  ///< of a tensor
  };

  Seen look(nb::handle object) const {
    PyObject* p = object.ptr();
    nb::object held;
    if (holder_ && holder_->is_of(p)) p = (held = holder_->read(p)).ptr();
    if (tensor_.is_of(p)) {
      Seen seen{not_plain, tensor_.read(p)};
      const Array& array = nb::cast<Array&>(seen.array);
      seen.kind = static_cast<uint8_t>(2 * static_cast<size_t>(array.dtype()) + (array.ndim() == 0));
      return seen;
    }
    if (PyFloat_CheckExact(p)) return {number_float, {}};
    if (PyLong_CheckExact(p)) return {number_int, {}};
    if (PyBool_Check(p)) return {number_bool, {}};
    if (PyComplex_CheckExact(p)) return {number_complex, {}};
    return {};
  }

  /// The dtype that operands of these kinds meet in.
  std::optional<Dtype> meet(bool wants_float, uint8_t a, uint8_t b, nb::handle x, nb::handle y) const {
    std::atomic<uint8_t>& answer = known_[wants_float][a * (n_kinds + 1) + b];
    uint8_t value = answer.load(std::memory_order_relaxed);
    if (value == unknown) {
      const nb::object said = y.is_valid() ? rule_(wants_float, x, y) : rule_(wants_float, x);
      value = said.is_none() ? own_way : static_cast<uint8_t>(dtype_from(said));
      answer.store(value, std::memory_order_relaxed);
    }
    return value == own_way ? std::nullopt : std::optional(static_cast<Dtype>(value));
  }

  std::optional<Array> compute(Op op, bool wants_float, nb::handle x, nb::handle y) const {
    const Seen seen[2] = {look(x), y.is_valid() ? look(y) : Seen{n_kinds, {}}};
    const size_t n = y.is_valid() ? 2 : 1;
    if (seen[0].kind == not_plain || seen[1].kind == not_plain || (!seen[0].array.is_valid() && !seen[1].array.is_valid())) return std::nullopt;
    const std::optional<Dtype> wanted = meet(wants_float, seen[0].kind, seen[1].kind, x, y);
    if (!wanted) return std::nullopt;
    Device& device = nb::cast<Array&>(seen[seen[0].array.is_valid() ? 0 : 1].array).device();
    Operand operands[2];
    for (size_t i = 0; i < n; ++i) {
      if (!seen[i].array.is_valid()) {
        operands[i] = *operand_from(i == 0 ? x : y, device);
        continue;
      }
      const Array& array = nb::cast<Array&>(seen[i].array);
      if (&array.device() != &device) return std::nullopt;
      operands[i] = array.dtype() == *wanted ? array : astype(array, *wanted);
    }
    try {
      const GilUntilBlocked keep;
      if (divides_by_zero(op, *wanted, device, operands)) return std::nullopt;
      return kasoku::apply(op, std::span<const Operand>(operands, n));
    } catch (const Error&) {
      return std::nullopt;  // said again, in the face's words
    }
  }

  /// Packages with eager tensors refuse that of integers, on a CPU: a GPU could not say it in time.
  static bool divides_by_zero(Op op, Dtype wanted, const Device& device, const Operand (&operands)[2]) {
    if ((op != Op::floor_divide && op != Op::remainder && op != Op::fmod) || !is_integer(wanted) || !device.is_host()) return false;
    if (operands[0].array && operands[0].array->size() == 0) return false;
    const Operand& divisor = operands[1];
    if (!divisor.array) return divisor.scalar.as_int() == 0;
    divisor.array->buffer();  // once, and not again for the quotient
    const Array found = reduce(ReduceOp::any, kasoku::apply(Op::equal, {divisor, Operand(0)}));
    return *static_cast<const bool*>(found.data_for_read());
  }

  const Slot tensor_;
  std::optional<Slot> holder_;
  const nb::object rule_;
  mutable std::array<std::array<std::atomic<uint8_t>, static_cast<size_t>(n_kinds) * (n_kinds + 1)>, 2> known_;
};

Op op_named(const std::string& name) {
  const std::optional<Op> op = op_from_name(name);
  if (!op) throw Error(ErrorKind::value, "no operation is named " + name);
  return *op;
}

/// A function, and method, of the face: `own` is asked for whatever is not plain.
void define(std::shared_ptr<Face> face, nb::handle scope, const char* name, const std::string& op, bool wants_float, nb::object own) {
  const Op o = op_named(op);
  const auto arity = static_cast<size_t>(info(o).arity);
  nb::cpp_function_def([=](const nb::args& operands, const nb::kwargs& named) {
    if (operands.size() == arity && named.size() == 1 && named.contains("out")) {
      const nb::object out = named["out"];
      if (face->apply_into(out, o, wants_float, operands[0], arity == 2 ? nb::object(operands[1]) : nb::object())) return out;
    } else if (operands.size() == arity && named.size() == 0)
      if (nb::object done = face->apply(o, wants_float, operands[0], arity == 2 ? nb::object(operands[1]) : nb::object()); done.is_valid()) return done;
    return nb::object(own(*operands, **named));
  }, nb::scope(scope), nb::name(name), nb::is_method());
}

void define_operator(std::shared_ptr<Face> face, nb::handle scope, const char* name, const std::string& op, bool wants_float, bool is_reflected, nb::object own) {
  const Op o = op_named(op);
  nb::cpp_function_def([=](nb::handle x, nb::handle y) {
    if (nb::object done = is_reflected ? face->apply(o, wants_float, y, x) : face->apply(o, wants_float, x, y); done.is_valid()) return done;
    return nb::object(own(x, y));
  }, nb::scope(scope), nb::name(name), nb::is_method(), nb::is_operator());
}

void define_in_place(std::shared_ptr<Face> face, nb::handle scope, const char* name, const std::string& op, bool wants_float, nb::object own) {
  const Op o = op_named(op);
  const auto arity = static_cast<size_t>(info(o).arity);
  nb::cpp_function_def([=](const nb::args& operands, const nb::kwargs& named) -> nb::object {
    if (operands.size() == arity && named.size() == 0 &&
        face->apply_into(operands[0], o, wants_float, operands[0], arity == 2 ? nb::object(operands[1]) : nb::object()))
      return operands[0];
    return own(*operands, **named);
  }, nb::scope(scope), nb::name(name), nb::is_method());
}

}  // namespace

void bind_face(nb::module_& m) {
  nb::class_<Face>(m, "_Face", "The operations of a tensor class of a face.")
      .def(nb::new_([](nb::handle cls, const std::string& slot, nb::object rule) { return std::make_shared<Face>(cls, slot, std::move(rule)); }),
           "cls"_a, "slot"_a, "rule"_a, "rule(wants_float, *operands) names the dtype that they meet in, or None: the face's function decides.")
      .def("hold_in", &Face::hold_in, "cls"_a, "slot"_a, "Objects of `cls`, which hold a tensor, count as it.")
      .def("forget", &Face::forget, "The rule gives other answers from now on.")
      .def("define", &define, "scope"_a, "name"_a, "op"_a, "wants_float"_a, "own"_a)
      .def("define_operator", &define_operator, "scope"_a, "name"_a, "op"_a, "wants_float"_a, "is_reflected"_a, "own"_a)
      .def("define_in_place", &define_in_place, "scope"_a, "name"_a, "op"_a, "wants_float"_a, "own"_a);
}

}  // namespace kasoku
