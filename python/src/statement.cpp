/// \file statement.cpp
/// Eager means: by statement. What an operation gives stays pending where an operator, a method of
/// its own or a function of ours reads it in the same statement; it is computed where the program
/// gets hold of it: a name, a container, a function of its own, the statement's end.
///
/// So is what reads memory that others can write, in any mode, and there the rule is strict: the value is pending only
/// past what runs no code of the program or of another library, which could write. Operators and indices are taken not
/// to; of attributes and methods those with the names of ours that only read; of functions those of ours.
///
/// Here a value is followed through the instructions of its statement. What is not known, of this
/// Python or a later one, reads as the statement's end, so the value is computed at once.
#include "array_object.h"
#include "frame.h"
#include "function.h"
#include "kasoku/codegen/reductions.h"
#include "kasoku/codegen/scans.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace kasoku {

namespace {

using namespace nb::literals;

enum class Use : uint8_t {
  unknown,    ///< takes the value out of the statement, or leads somewhere else
  none,       ///< an instruction that only puts something on the stack, or away from it
  operation,  ///< of an operator, or an attribute of the value: what it gives is looked at in its turn
  plus,       ///< an intrinsic function; unary plus is one
  call, call_names, store_item, store_slice, swap, copy, jump
};

struct Opcode {
  const char* name;
  Use use = Use::none;
  uint8_t pops = 0, pops_per_argument = 0, pushes = 0;
  bool pushes_if_odd = false;  ///< one more, if the argument's lowest bit is set
};

/// CPython 3.11 to 3.14; some have other numbers, or are not there, in some of them.
constexpr Opcode opcodes[] = {
    {"CACHE"}, {"NOP"}, {"NOT_TAKEN"}, {"RESUME"}, {"EXTENDED_ARG"}, {"PRECALL"}, {"KW_NAMES"},
    {"PUSH_NULL", Use::none, 0, 0, 1},
    {"LOAD_CONST", Use::none, 0, 0, 1},
    {"LOAD_SMALL_INT", Use::none, 0, 0, 1},
    {"LOAD_FAST", Use::none, 0, 0, 1},
    {"LOAD_FAST_BORROW", Use::none, 0, 0, 1},
    {"LOAD_FAST_CHECK", Use::none, 0, 0, 1},
    {"LOAD_FAST_LOAD_FAST", Use::none, 0, 0, 2},
    {"LOAD_FAST_BORROW_LOAD_FAST_BORROW", Use::none, 0, 0, 2},
    {"LOAD_DEREF", Use::none, 0, 0, 1},
    {"LOAD_NAME", Use::none, 0, 0, 1},
    {"LOAD_GLOBAL", Use::none, 0, 0, 1, true},
    {"LOAD_ATTR", Use::operation, 1, 0, 1, true},
    {"LOAD_METHOD", Use::operation, 1, 0, 2},
    {"BUILD_TUPLE", Use::none, 0, 1, 1},
    {"BUILD_LIST", Use::none, 0, 1, 1},
    {"BUILD_SLICE", Use::none, 0, 1, 1},
    {"UNARY_POSITIVE", Use::operation, 1, 0, 1},
    {"UNARY_NEGATIVE", Use::operation, 1, 0, 1},
    {"UNARY_INVERT", Use::operation, 1, 0, 1},
    {"CALL_INTRINSIC_1", Use::plus, 1, 0, 1},
    {"BINARY_OP", Use::operation, 2, 0, 1},
    {"BINARY_SUBSCR", Use::operation, 2, 0, 1},
    {"BINARY_SLICE", Use::operation, 3, 0, 1},
    {"COMPARE_OP", Use::operation, 2, 0, 1},
    {"CALL", Use::call, 2, 1, 1},
    {"CALL_KW", Use::call_names, 3, 1, 1},
    {"STORE_SUBSCR", Use::store_item, 3},
    {"STORE_SLICE", Use::store_slice, 4},
    {"SWAP", Use::swap},
    {"COPY", Use::copy},
    {"JUMP_FORWARD", Use::jump},
};
constexpr Opcode not_in_table{"", Use::unknown};

/// The instructions of the Python that runs, by number.
struct Instructions {
  std::array<const Opcode*, 256> rows;
  bool is_3_11;

  static const Instructions& all() {
    static const auto* const made = new Instructions;
    return *made;
  }

 private:
  Instructions() {
    rows.fill(&not_in_table);
    const nb::object numbers = nb::module_::import_("opcode").attr("opmap");
    for (const Opcode& row : opcodes) {
      const nb::object number = numbers.attr("get")(row.name, -1);
      const int at = nb::cast<int>(number);
      if (at >= 0 && at < 256) rows[static_cast<size_t>(at)] = &row;  // above: only the compiler's own
    }
    is_3_11 = nb::cast<int>(nb::module_::import_("sys").attr("hexversion")) < 0x030c0000;
  }
};

bool is_our_name(nb::handle name) {
  if (!PyUnicode_Check(name.ptr())) return false;
  const auto text = nb::cast<std::string>(name);
  return text == "kasoku" || text.starts_with("kasoku.");
}

/// Whether a function, a class or an instance is of our package.
bool is_ours(nb::handle object) {
  return is_our_name(nb::getattr(nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))), "__module__", nb::none())) ||
         is_our_name(nb::getattr(object, "__module__", nb::none()));
}

bool is_property_of_arrays(const std::string& name) {
  const nb::object found = nb::getattr(nb::handle(reinterpret_cast<PyObject*>(array_type())), name.c_str(), nb::none());
  return nb::isinstance(found, nb::module_::import_("builtins").attr("property"));
}

/// Whether an attribute of that name reads an array of ours and writes nothing: a property, or a method that stands in
/// a table.
bool only_reads(const std::string& name) {
  const auto is_in = [&](const auto& table) {
    return std::ranges::any_of(table, [&](const auto& row) { return row.name == name; });
  };
  static constexpr std::string_view others[] = {"astype", "conj", "ravel", "reshape", "std", "transpose"};
  return is_in(reduction_table) || is_in(scan_table) || std::ranges::find(others, name) != std::end(others) ||
         is_property_of_arrays(name);
}

/// What the containers that functions of ours give have too.
bool is_of_containers(const std::string& name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(&PyList_Type), name.c_str()) ||
         PyObject_HasAttrString(reinterpret_cast<PyObject*>(&PyTuple_Type), name.c_str());
}

/// Whether a call of it runs code of ours alone and keeps no argument: a function, not a class or an instance.
bool is_our_function(nb::handle object) {
  if (is_function(object)) return true;
  if (PyType_Check(object.ptr())) return false;
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  return !is_our_name(nb::getattr(type, "__module__", nb::none())) &&
         is_our_name(nb::getattr(object, "__module__", nb::none()));
}

/// NumPy's, which give arrays of ours to us.
bool is_ufunc(nb::handle object) {
  static const nb::object* const type = new nb::object(nb::module_::import_("numpy").attr("ufunc"));
  return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type->ptr();
}

class Statement {
 public:
  Statement(const UserFrame& user, bool is_strict)
      : is_strict_(is_strict),
        frame_(user.frame),
        code_(user.code->object),
        instructions_(Instructions::all()),
        bytes_(nb::cast<nb::bytes>(nb::object(code_.attr("co_code")))),
        n_(bytes_.size() / 2) {}

  /// Whether the value that instruction `at` gives is read within the statement, by us.
  bool goes_on_after(size_t at) const {
    constexpr int far = 1000;  // statements are shorter
    uint32_t depth = 0;        // of the value on the stack
    bool is_self = false;      // it is the object of a method that lies below it
    if (is_strict_ && !is_harmless(row(at), at)) return false;
    const bool is_of_call =
        row(at).use != Use::operation && row(at).use != Use::plus;  // then it may be an item of a container
    ++at;
    for (int steps = 0; at < n_ && steps < far; ++steps, ++at) {
      const Opcode& row = this->row(at);
      const uint32_t argument = this->argument(at);
      switch (row.use) {
        case Use::unknown: return false;
        case Use::jump: at += argument; continue;
        case Use::copy:
          if (depth + 1 == argument) return false;  // it is kept and used: (y := x + 1) * 2
          ++depth;
          continue;
        case Use::swap:
          if (depth == 0) depth = argument - 1;
          else if (depth + 1 == argument) depth = 0;
          continue;
        default: break;
      }
      const uint32_t pops = this->pops(row, argument);
      if (depth < pops && !is_strict_) return is_read_by_us(row, at, argument, depth);
      if (depth < pops && is_self)
        return depth == argument + (row.use == Use::call_names) && (row.use == Use::call || row.use == Use::call_names);
      if (depth < pops) {
        if (!is_method(row, argument)) return is_read_at_once(row, at, argument, depth, is_of_call);
        const std::string name = name_of(row, argument);
        if (!is_attribute_of_arrays(name) || (is_of_call && is_of_containers(name))) return false;
        is_self = true;
        continue;  // it lies where it lay, above the method
      }
      if (is_strict_ && !is_harmless(row, at)) return false;
      depth = depth - pops + pushes(row, argument);
    }
    return false;
  }

 private:
  struct Producer {
    size_t at;
    uint32_t depth;  ///< among what it puts on the stack
  };

  const Opcode& row(size_t at) const { return *instructions_.rows[byte(2 * at)]; }
  uint8_t byte(size_t at) const { return static_cast<uint8_t>(bytes_.c_str()[at]); }
  bool is(const Opcode& row, std::string_view name) const { return name == row.name; }

  uint32_t argument(size_t at) const {
    uint32_t value = byte(2 * at + 1);
    for (int shift = 8; at-- > 0 && is(row(at), "EXTENDED_ARG") && shift < 32; shift += 8)
      value |= static_cast<uint32_t>(byte(2 * at + 1)) << shift;
    return value;
  }

  uint32_t pops(const Opcode& row, uint32_t argument) const { return row.pops + row.pops_per_argument * argument; }
  uint32_t pushes(const Opcode& row, uint32_t argument) const {
    const bool has_flag = row.pushes_if_odd && !(instructions_.is_3_11 && row.use == Use::operation);
    return row.pushes + (has_flag ? argument & 1 : 0);
  }

  bool is_read_by_us(const Opcode& row, size_t at, uint32_t argument, uint32_t depth) const {
    constexpr uint32_t unary_plus = 5;
    switch (row.use) {
      case Use::operation: return true;
      case Use::plus: return argument == unary_plus;
      case Use::call: return depth < argument && is_call_of_ours(at, argument);
      case Use::call_names: return depth <= argument && is_call_of_ours(at, argument + 1);
      case Use::store_item: return depth == 2 && is_object_ours(producer(at, 1));
      case Use::store_slice: return depth == 3 && is_object_ours(producer(at, 2));
      default: return false;
    }
  }

  // ── for memory that others can write

  bool is_method(const Opcode& row, uint32_t argument) const {
    return is(row, "LOAD_METHOD") || (is(row, "LOAD_ATTR") && !instructions_.is_3_11 && (argument & 1));
  }

  std::string name_of(const Opcode& attribute, uint32_t argument) const {
    return nb::cast<std::string>(
        name_at(is(attribute, "LOAD_ATTR") && !instructions_.is_3_11 ? argument >> 1 : argument));
  }

  static bool is_attribute_of_arrays(const std::string& name) {
    return PyObject_HasAttrString(reinterpret_cast<PyObject*>(array_type()), name.c_str());
  }

  /// Whether the instruction runs nothing that could write to memory of others, as far as that can be told.
  bool is_harmless(const Opcode& row, size_t at) const {
    const uint32_t argument = this->argument(at);
    switch (row.use) {
      case Use::none:
      case Use::plus: return true;
      case Use::operation: return !is_attribute(row) || only_reads(name_of(row, argument)) || is_of_module(at);
      case Use::call: return is_harmless_call(at, argument);
      case Use::call_names: return is_harmless_call(at, argument + 1);
      default: return false;
    }
  }

  static bool is_attribute(const Opcode& row) { return std::string_view(row.name).starts_with("LOAD_"); }

  bool is_of_module(size_t at) const {
    const std::optional<Producer> owner = producer(at, 0);
    const nb::object of = owner ? object_of(*owner) : nb::object();
    return of.is_valid() && PyModule_Check(of.ptr());
  }

  bool is_harmless_call(size_t at, uint32_t first) const {
    if (calls_our_function(at, first) || is_of_python_at(producer(at, first)) ||
        is_of_python_at(producer(at, first + 1)))
      return true;
    const std::optional<Producer> callee = producer(at, first);  // beside its method
    if (!callee) return false;
    const Opcode& row = this->row(callee->at);
    const uint32_t argument = this->argument(callee->at);
    return is_method(row, argument) && !is_of_module(callee->at) && only_reads(name_of(row, argument));
  }

  bool calls_our_function(size_t at, uint32_t first) const {
    return is_our_function_at(producer(at, first)) || is_our_function_at(producer(at, first + 1));
  }

  /// A function of Python's that computes a number.
  bool is_of_python_at(const std::optional<Producer>& from) const {
    static constexpr std::string_view names[] = {"abs", "complex", "float", "int",  "len",
                                                 "max", "min",     "range", "round"};
    const nb::object object = from ? object_of(*from) : nb::object();
    if (!object.is_valid()) return false;
    const nb::object module = nb::getattr(object, "__module__", nb::none()),
                     name = nb::getattr(object, "__name__", nb::none());
    if (!PyUnicode_Check(module.ptr()) || !PyUnicode_Check(name.ptr())) return false;
    const auto from_module = nb::cast<std::string>(module);
    return from_module == "math" ||
           (from_module == "builtins" && std::ranges::find(names, nb::cast<std::string>(name)) != std::end(names));
  }

  bool is_our_function_at(const std::optional<Producer>& from) const {
    const nb::object object = from ? object_of(*from) : nb::object();
    return object.is_valid() && (is_our_function(object) || is_ufunc(object));
  }

  /// Whether it is read by an operation that is over when the instruction is. `is_of_call`: it may be an item of a
  /// container that lies there.
  bool is_read_at_once(const Opcode& row, size_t at, uint32_t argument, uint32_t depth, bool is_of_call) const {
    switch (row.use) {
      case Use::operation:
        if (is_attribute(row)) return !is_of_call && is_property_of_arrays(name_of(row, argument));
        return !is_of_call || depth + 1 != pops(row, argument) ||
               !std::string_view(row.name).starts_with("BINARY_S");  // …SUBSCR, …SLICE
      case Use::call: return depth < argument && calls_our_function(at, argument);
      case Use::call_names: return depth <= argument && calls_our_function(at, argument + 1);
      case Use::store_item: return depth == 2 && is_object_array(producer(at, 1));
      case Use::store_slice: return depth == 3 && is_object_array(producer(at, 2));
      default: return is_read_by_us(row, at, argument, depth);
    }
  }

  bool is_object_array(const std::optional<Producer>& from) const {
    const nb::object object = from ? object_of(*from) : nb::object();
    return object.is_valid() && array_of(object);
  }

  // ──

  /// What is called lies below the arguments, beside a null or the object whose method it is.
  bool is_call_of_ours(size_t at, uint32_t first) const {
    return is_object_ours(producer(at, first)) || is_object_ours(producer(at, first + 1));
  }

  /// The instruction that put the stack's item at `depth` there, seen from before instruction `at`.
  std::optional<Producer> producer(size_t at, uint32_t depth) const {
    while (at-- > 0) {
      const Opcode& row = this->row(at);
      if (row.use == Use::unknown || row.use >= Use::store_item) return std::nullopt;
      const uint32_t argument = this->argument(at), pushes = this->pushes(row, argument);
      if (depth < pushes) return Producer{at, depth};
      depth = depth - pushes + pops(row, argument);
    }
    return std::nullopt;
  }

  bool is_object_ours(const std::optional<Producer>& from) const {
    const nb::object object = from ? object_of(*from) : nb::object();
    return object.is_valid() && is_ours(object);
  }

  /// The object of a name, or of names with dots through modules; an instance of ours stands for its
  /// methods. Null: not known. A function's variables are not looked at: up to Python 3.12 that
  /// would keep alive what they hold.
  nb::object object_of(const Producer& from) const {
    const Opcode& row = this->row(from.at);
    const uint32_t argument = this->argument(from.at);
    if (is(row, "LOAD_NAME")) return named(argument, true);
    if (is(row, "LOAD_GLOBAL")) return named(argument >> 1, false);
    if (!is(row, "LOAD_ATTR") && !is(row, "LOAD_METHOD")) return {};
    const std::optional<Producer> owner = producer(from.at, 0);
    nb::object of = owner ? object_of(*owner) : nb::object();
    if (!of.is_valid()) return {};
    if (!PyModule_Check(of.ptr())) return is_ours(of) ? of : nb::object();
    const nb::object name = name_at(is(row, "LOAD_ATTR") && !instructions_.is_3_11 ? argument >> 1 : argument);
    return item(PyModule_GetDict(of.ptr()), name);
  }

  nb::object named(uint32_t at, bool is_local) const {
    const nb::object name = name_at(at);
    const nb::object locals = is_local ? nb::object(frame_.attr("f_locals")) : nb::object();
    nb::object found = is_local && PyDict_Check(locals.ptr()) ? item(locals.ptr(), name) : nb::object();
    for (const char* where : {"f_globals", "f_builtins"})
      if (!found.is_valid()) found = item(nb::object(frame_.attr(where)).ptr(), name);
    return found;
  }

  nb::object name_at(uint32_t at) const { return nb::object(code_.attr("co_names"))[at]; }

  static nb::object item(PyObject* dictionary, const nb::object& name) {
    return nb::borrow(PyDict_GetItemWithError(dictionary, name.ptr()));
  }

  const bool is_strict_;
  const nb::object frame_, code_;
  const Instructions& instructions_;
  const nb::bytes bytes_;
  const size_t n_;
};

enum Fate : uint8_t { not_known, ends, goes_on_next_time, goes_on };

/// The kernels of a statement are its own, those of single operations everybody's: small arrays
/// wait until the statement comes a second time.
constexpr int64_t large = 1 << 15;

/// While alive, on this thread, operations are steps of one.
struct PartOfOperation {
  PartOfOperation() { ++depth; }
  ~PartOfOperation() { --depth; }
  PartOfOperation(const PartOfOperation&) = delete;
  PartOfOperation& operator=(const PartOfOperation&) = delete;
  static inline thread_local int depth = 0;
};

bool statement_goes_on(int64_t size, bool is_strict) {
  static PyObject* const last = PyUnicode_InternFromString("f_lasti");
  const UserFrame user = user_frame();
  if (!user.code) return false;
  const nb::object offset = nb::steal(PyObject_GetAttr(user.frame.ptr(), last));
  const auto at = static_cast<size_t>(PyLong_AsLong(offset.ptr())) / 2;
  if (2 * at >= user.code->fates.size()) return false;
  std::atomic<uint8_t>& fate = user.code->fates[2 * at + is_strict];
  switch (fate.load(std::memory_order_relaxed)) {
    case ends: return false;
    case goes_on: return true;
    case not_known:
      if (!Statement(user, is_strict).goes_on_after(at)) {
        fate.store(ends, std::memory_order_relaxed);
        return false;
      }
      if (size < large) {
        fate.store(goes_on_next_time, std::memory_order_relaxed);
        return false;
      }
      [[fallthrough]];
    default: fate.store(goes_on, std::memory_order_relaxed); return true;
  }
}

}  // namespace

void settle(const Array& array) {
  if (PartOfOperation::depth || array.is_null() || !array.is_pending() ||
      statement_goes_on(array.size(), array.waits_on_shared()))
    return;
  const GilReleased release;
  array.buffer();
}

void bind_statement(nb::module_& m) {
  m.def("_unsettled", [](nb::handle function, const nb::args& args, const nb::kwargs& kwargs) {
    const PartOfOperation inside;
    return nb::object(function(*args, **kwargs));
  }, "function"_a, "args"_a, "kwargs"_a, "function(*args, **kwargs), one operation of a face made of several: nothing is settled.");
  m.def("_settle", [](nb::object array) {
    settle(nb::cast<const Array&>(array));
    return array;
  }, "array"_a, "The array, computed unless the statement under way goes on with it.");
  settled_by_caller();
}

}  // namespace kasoku
