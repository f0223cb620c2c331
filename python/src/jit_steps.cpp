/// \file python/src/jit_steps.cpp
/// kasoku._core.JitSteps: the iterator of a generator function that Python calls (_generator_steps.py gives it the functions).
///
/// A step's result is (the piece that comes next, or -1; what was yielded; the variables), and what `return` gives, where the
/// piece is -2. The first and the last are the next
/// step's last arguments and stay words: only what was yielded becomes Python's.
#include "guarded.h"
#include "jit_lists.h"
#include "jit_state.h"
#include "kasoku/base/error.h"
#include "kasoku/device/replay.h"
#include "kasoku/jit/offload.h"

#include <fmt/format.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

namespace kasoku {

using namespace jit;
using namespace nb::literals;

namespace {

/// In ticks of the time-stamp counter. After a step that takes longer other threads have Python's lock while steps run.
constexpr uint64_t long_step = 100'000;
/// So many steps in a row that ended within that time, together with what the caller did between them, are timed as one.
constexpr int steps_together = 8;
constexpr size_t most_ahead = 1024;

bool any_part(const Type& type, bool (*is)(const Type&)) {
  return is(type) || (type.is_tuple() && std::ranges::any_of(type.items, [&](const Type& item) { return any_part(item, is); }));
}

/// act() of what a value is made of, in the order of its words.
template <class Act>
void each_part(const Type& type, const Act& act) {
  if (!type.is_tuple()) return act(type);
  for (const Type& item : type.items) each_part(item, act);
}

bool owns(const Type& type) {
  return any_part(type, [](const Type& part) { return part.is_array() || part.is_counted() || part.kind == TypeKind::optional; });
}

bool has_texts(const Type& type) {
  return any_part(type, [](const Type& part) { return part.is_string(); });
}

bool is_of_numbers(const Type& type) {
  return !any_part(type, [](const Type& part) { return !part.is_tuple() && !(part.is_scalar() && !part.enumeration); });
}

/// Whether there are texts in a container, which the call that made them frees.
bool holds_texts(const Type& type) {
  return std::ranges::any_of(type.items, [](const Type& item) { return item.is_string() || holds_texts(item); });
}

/// Whether variables of the type can go from step to step as words.
bool can_stay(const Type& type) {
  return !any_part(type, [](const Type& part) {
    const bool is_sequence = part.is_tuple() && part.text.empty();
    const bool is_plain = part.is_scalar() || part.is_string() || part.kind == TypeKind::text || part.kind == TypeKind::none;
    return !(is_sequence || is_plain || (part.is_array() && !part.is_bytes()) || (part.is_container() && !holds_texts(part)));
  });
}

/// What is yielded becomes an object of its own each time, which a list is not in Python.
bool can_be_yielded(const Type& type) {
  return !any_part(type, [](const Type& part) { return part.is_counted() || part.kind == TypeKind::optional || part.is_record(); });
}

/// Throws if steps cannot have such a result.
void expect_to_go_on(const Type& result) {
  if (!result.is_tuple() || result.items.size() < 3 || !result.items[2].is_tuple()) throw Error(ErrorKind::type, "nothing is known of its variables");
  if (!can_be_yielded(result.items[1]) || (result.items.size() > 3 && !can_be_yielded(result.items[3])))
    throw Error(ErrorKind::type, fmt::format("it yields or returns a {}, which would be another object each time", str(result.items[1])));
  for (const Type& item : result.items[2].items)
    if (!can_stay(item)) throw Error(ErrorKind::type, fmt::format("a variable that it keeps is a {}", str(item)));
}

/// The type as a parameter's: a number that one result is known to be is none that all are.
Type as_parameter(Type type) {
  if (type.is_scalar()) type.text.clear();
  if (type.is_tuple())
    for (Type& item : type.items) item = as_parameter(item);
  return type;
}

/// What a call's words were made of, if it is plain to see whether it still is that: numbers, and arrays of NumPy with their
/// fields as they were.
class SeenArguments {
 public:
  /// Whether it could take them down.
  bool see(PyObject* const* arguments, size_t n) {
    arrays_.clear();
    for (size_t i = 0; i < n; ++i) {
      Dtype dtype;
      if (PyFloat_CheckExact(arguments[i]) || PyLong_CheckExact(arguments[i]) || PyBool_Check(arguments[i]) || arguments[i] == Py_None) continue;
      const NumpyArray* const array = as_numpy(arguments[i], dtype);
      if (!array) return false;
      arrays_.push_back({array, *array, {array->shape, array->shape + array->ndim}, {array->strides, array->strides + array->ndim}});
    }
    return true;
  }
  bool are_the_same() const {
    for (const Seen& seen : arrays_) {
      const NumpyArray& now = *seen.array;
      const NumpyArray& then = seen.fields;
      if (now.data != then.data || now.ndim != then.ndim || now.descr != then.descr || now.flags != then.flags) return false;
      if (!std::equal(seen.shape.begin(), seen.shape.end(), now.shape) || !std::equal(seen.strides.begin(), seen.strides.end(), now.strides)) return false;
    }
    return true;
  }

 private:
  struct Seen {
    const NumpyArray* array;
    NumpyArray fields;
    std::vector<Py_ssize_t> shape, strides;
  };
  std::vector<Seen> arrays_;
};

class Steps {
 public:
  Steps(nb::handle begin, nb::handle resume, nb::handle given, bool is_pure)
      : begin_(nb::borrow(begin)), resume_(nb::borrow(resume)), is_ahead_(is_pure) {
    for (nb::handle each : given) {
      given_.push_back(nb::borrow(each));
      arguments_.push_back(each.ptr());
      is_ahead_ = is_ahead_ && (PyLong_CheckExact(each.ptr()) || PyFloat_CheckExact(each.ptr()) || PyBool_Check(each.ptr()) || PyComplex_CheckExact(each.ptr()));
    }
  }
  ~Steps() { forget_state(); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  /// Finds the first steps' compiled forms. Throws what compile_for() does, and why they have none for such arguments.
  void prepare() {
    find();
    const Type& result = entry_->compiled.lowered().result;
    expect_to_go_on(result);
    if (entry_->compiled.device() && (owns(result.items[2]) || has_texts(result.items[2]))) throw Error(ErrorKind::type, "its variables hold more than numbers, which no generator on a device does");
    const std::shared_ptr<JitEntry> first = std::exchange(entry_, nullptr);
    state_types_ = {as_parameter(result.items[0]), as_parameter(result.items[2])};
    has_begun_ = true;
    find();
    expect_to_go_on(entry_->compiled.lowered().result);
    has_begun_ = false;
    use(first);
  }

  /// What it yields next; null at its end.
  PyObject* next() {
    if (is_taken()) {
      PyErr_SetString(PyExc_ValueError, "generator already executing");
      throw nb::python_error();
    }
    struct Ends {
      std::atomic<bool>& flag;
      ~Ends() { flag.store(false, std::memory_order_release); }
    } const ends{is_running_};
    if (at_ < n_) return ahead();
    return is_ended_ ? nullptr : step();
  }

  /// Whether another step runs; else this one does.
  bool is_taken() {
#ifdef Py_GIL_DISABLED
    return is_running_.exchange(true);
#else
    // Python's lock is held, and a locked instruction would take as long as some steps.
    if (is_running_.load(std::memory_order_relaxed)) return true;
    is_running_.store(true, std::memory_order_relaxed);
    return false;
#endif
  }

  void close() { is_ended_ = true, at_ = n_ = 0, forget_state(); }
  bool is_running() const { return is_running_; }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(begin_.ptr());
    Py_VISIT(resume_.ptr());
    for (const nb::object& each : given_) Py_VISIT(each.ptr());
    return 0;
  }
  void clear() {
    close();
    given_.clear(), arguments_.clear();
  }

 private:
  JitState& function() const { return jit_state(has_begun_ ? resume_ : begin_); }

  /// The entry of the next step, compiled if there is none.
  void find() {
    std::vector<Type> types;
    Where where;
    for (const nb::object& each : given_) {
      types.push_back(argument_type(each));
      if (types.back().is_counted()) throw Error(ErrorKind::type, fmt::format("an argument is a {}, which each step would copy", str(types.back())));
      if (!types.back().is_known()) throw Error(ErrorKind::type, "an argument has no compiled form");
      where.look(each.ptr());
    }
    std::vector<Type> loose = types;
    for (Type& type : loose) type = at_run_time(type);
    if (has_begun_)
      for (std::vector<Type>* each : {&types, &loose}) each->insert(each->end(), state_types_.begin(), state_types_.end());
    try {
      use(compile_for(function(), loose, where));
    } catch (const Error& error) {
      if (loose == types || !means_no_form(error)) throw;
      use(compile_for(function(), types, where));
    }
  }

  void use(std::shared_ptr<JitEntry> entry) {
    is_filled_ = false;
    entry_ = std::move(entry);
    const Type& result = entry_->compiled.lowered().result;
    is_same_again_ = false;
    if (result.is_tuple() && result.items.size() >= 3)
      is_same_again_ = has_begun_ && state_types_ == std::vector{as_parameter(result.items[0]), as_parameter(result.items[2])};
    words_.resize(static_cast<size_t>(entry_->compiled.call_words()));
    n_given_words_ = 0;
    takes_texts_ = false;
    for (size_t i = 0; i < given_.size(); ++i) {
      n_given_words_ += static_cast<size_t>(words_of(entry_->arguments[i]));
      takes_texts_ |= has_texts(entry_->arguments[i]);
    }
    if (!result.is_tuple() || result.items.size() < 3) return;
    n_value_words_ = static_cast<size_t>(words_of(result.items[1]));
    n_state_words_ = static_cast<size_t>(words_of(result.items[2]));
    owns_state_ = owns(result.items[2]), has_text_state_ = has_texts(result.items[2]);
    goes_ahead_ = is_ahead_ && is_same_again_ && result.items.size() == 3 && !entry_->compiled.device() && entry_->hidden.empty() && is_of_numbers(result.items[1]) && is_of_numbers(result.items[2]);
  }

  void learn_state(const Type& type) {
    state_type_ = type;
    is_of_arrays_ = !any_part(type, [](const Type& part) { return part.is_counted() || part.kind == TypeKind::optional; });
    memory_at_.clear();
    size_t place = 1;
    each_part(type, [&](const Type& part) {
      place += static_cast<size_t>(words_of(part));
      if (part.is_array()) memory_at_.push_back(place - 1);
    });
  }

  void forget_state() {
    if (const uint64_t* at = state_.data(); !state_.empty() && is_owner_ && !is_of_arrays_) disown(state_type_, ++at);
    else if (!state_.empty() && is_owner_)
      for (const size_t place : memory_at_) release(reinterpret_cast<Memory*>(state_[place]));
    is_owner_ = false;
    state_.clear();
  }

  PyObject* step() {
    refuse_to_record("a call of a compiled function");
    is_ended_ = true;  // as one that raises is
    if (!still_holds(function())) forget(function()), entry_ = nullptr;
    if (!entry_ || !is_filled_ || !is_in_place(*entry_) || !seen_.are_the_same()) return filled_step();
    std::ranges::copy(filled_, words_.begin());
    return run(nullptr);
  }

  /// A step whose arguments are looked at.
  PyObject* filled_step() {
    std::optional<ListScope> lists;
    std::optional<Offloaded> offloaded;
    for (int attempt = 0;; ++attempt) {
      if (!entry_) find();
      if (takes_texts_) lists.emplace();
      if (Device* device = entry_->compiled.device()) offloaded.emplace(*device);
      if (is_in_place(*entry_) && fill(*entry_, arguments_.data(), given_.size(), words_.data(), offloaded ? &*offloaded : nullptr, nullptr, has_begun_ ? 2 : 0)) break;
      if (attempt) throw Error(ErrorKind::internal, "the arguments of a generator do not fit the types made of them");
      function().is_read = false;  // an array outside may have changed in place
      function().entries.clear();
      entry_ = nullptr;
      offloaded.reset(), lists.reset();
    }
    is_filled_ = is_same_again_ && !offloaded && !takes_texts_ && entry_->hidden.empty() && seen_.see(arguments_.data(), arguments_.size());
    if (is_filled_) filled_.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(n_given_words_));
    return run(offloaded ? &*offloaded : nullptr);
  }

  /// With the arguments' words in place.
  PyObject* run(Offloaded* offloaded) {
    std::ranges::copy(state_, words_.begin() + static_cast<std::ptrdiff_t>(n_given_words_));
    const Type& result = entry_->compiled.lowered().result;
    if (goes_ahead_ && n_ahead_) {
      run_ahead();
      if (n_) return ahead();
      if (is_ended_ && is_over_) return nullptr;
      std::ranges::copy(given_words_, words_.begin());
      std::ranges::copy(state_, words_.begin() + static_cast<std::ptrdiff_t>(n_given_words_));
    }
    CallRecord record;
    record.words = words_.data();
    if (is_long_ || offloaded) {
      const uint64_t began = __rdtsc();
      {
        const GilReleased released;
        entry_->compiled.call(record);
      }
      last_look_ = __rdtsc();
      is_long_ = last_look_ - began > long_step;
      n_together_ = 0;
    } else if (n_together_ < steps_together) {
      entry_->compiled.call(record);
      ++n_together_;
    } else {
      const uint64_t began = __rdtsc();
      entry_->compiled.call(record);
      if (began - last_look_ > long_step) {  // of the last steps one may have been long, or the caller was: this one tells
        last_look_ = __rdtsc();
        is_long_ = last_look_ - began > long_step;
      } else {
        last_look_ = began;
        n_together_ = 0;
      }
    }
    if (record.status) raise_of_call(*entry_, record);
    return taken(result, offloaded);
  }

  /// Keeps a result's state and gives its value.
  PyObject* taken(const Type& result, Offloaded* offloaded) {
    const bool has_ended = static_cast<int64_t>(words_[0]) < 0;
    forget_state();
    state_.assign(1 + n_state_words_, words_[0]);
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(1 + n_value_words_), n_state_words_, state_.begin() + 1);
    if (!is_same_again_) learn_state(result.items[2]);
    is_owner_ = owns_state_;
    if (has_text_state_) keep_texts();
    const uint64_t* at = words_.data() + 1;
    if (has_ended) {
      disown(result.items[1], at);
      at += n_state_words_;
      if (result.items.size() == 3) return nullptr;
      if (static_cast<int64_t>(words_[0]) == -1) return disown(result.items[3], at), nullptr;
      nb::object given = unpack(result.items[3], at, arguments_.data(), arguments_.size(), offloaded);
      const nb::handle stop = PyExc_StopIteration;
      PyErr_SetObject(PyExc_StopIteration, nb::object(stop(given)).ptr());
      throw nb::python_error();
    }
    nb::object value = unpack(result.items[1], at, arguments_.data(), arguments_.size(), offloaded);
    is_ended_ = false;
    if (!is_same_again_) {
      state_types_ = {as_parameter(result.items[0]), as_parameter(result.items[2])};
      has_begun_ = true;
      entry_ = nullptr;
    }
    return value.release().ptr();
  }

  /// The state's texts, in memory that outlives the call.
  void keep_texts() {
    std::vector<std::vector<uint32_t>> kept;
    const auto keep = [&](const Type& type, uint64_t*& at, const auto& self) -> void {
      if (type.is_tuple()) {
        for (const Type& item : type.items) self(item, at, self);
      } else if (type.is_string()) {
        const auto* const begin = reinterpret_cast<const uint32_t*>(at[0]);
        kept.emplace_back(begin, begin ? begin + at[1] : begin);
        if (begin) at[0] = reinterpret_cast<uint64_t>(kept.back().data());
        at += 2;
      } else {
        at += words_of(type);
      }
    };
    uint64_t* at = state_.data() + 1;
    keep(state_type_, at, keep);
    texts_ = std::move(kept);
  }

  /// The next values into values_, as far as no step fails: that one runs again when its turn comes.
  void run_ahead() {
    given_words_.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(n_given_words_));
    values_.resize(n_ahead_ * n_value_words_);
    Turns turns{*this, words_.data(), values_.data()};
    CallRecord record;
    record.words = words_.data();
    const uint64_t began = __rdtsc();
    {
      std::optional<GilReleased> released;
      if (is_long_) released.emplace();
      entry_->compiled.call_in_turn(record, n_ahead_, Turns::go_on, &turns);
    }
    is_long_ = __rdtsc() - began > long_step;
    if (!record.status && !turns.is_over && turns.is_begun) turns.take();
    at_ = 0, n_ = turns.n;
    is_over_ = turns.is_over;
    is_ended_ = turns.is_over;
    n_ahead_ = record.status ? 0 : std::min(2 * n_ahead_, most_ahead);
  }

  struct Turns {
    Steps& steps;
    uint64_t *words, *value;
    size_t n = 0;
    bool is_begun = false, is_over = false;

    void take() {
      is_over = static_cast<int64_t>(words[0]) < 0;
      if (is_over) return;
      value = std::copy_n(words + 1, steps.n_value_words_, value);
      steps.state_[0] = words[0];
      std::copy_n(words + 1 + steps.n_value_words_, steps.n_state_words_, steps.state_.begin() + 1);
      ++n;
    }
    static bool go_on(void* const* args, size_t i) {
      const CallRecord& record = **static_cast<CallRecord* const*>(args[0]);
      Turns& self = *static_cast<Turns*>(args[1]);
      if (record.status) return false;
      if (i) {
        self.take();
        self.is_begun = false;
        if (self.is_over) return false;
        uint64_t* at = std::ranges::copy(self.steps.given_words_, self.words).out;
        std::ranges::copy(self.steps.state_, at);
      }
      self.is_begun = true;
      return true;
    }
  };

  PyObject* ahead() {
    const uint64_t* at = values_.data() + at_++ * n_value_words_;
    return unpack(entry_->compiled.lowered().result.items[1], at, nullptr, 0, nullptr).release().ptr();
  }

  nb::object begin_, resume_;
  std::vector<nb::object> given_;
  std::vector<PyObject*> arguments_;
  bool is_ahead_;  ///< numbers alone decide the values, so that some may be computed before they are asked for
  bool has_begun_ = false, is_ended_ = false, is_over_ = false;
  bool is_long_ = true;        ///< whether the last step took long; nothing is known of the first
  bool is_same_again_ = false; ///< entry_'s result has the types of its arguments
  std::atomic<bool> is_running_ = false;
  std::shared_ptr<JitEntry> entry_;  ///< of the next step; null if it has to be found
  std::vector<Type> state_types_;    ///< of the next step's last two arguments
  Type state_type_;
  std::vector<uint64_t> state_, words_, given_words_, values_;
  std::vector<std::vector<uint32_t>> texts_;
  bool is_owner_ = false;  ///< state_ owns memory
  // What entry_'s types say.
  size_t n_given_words_ = 0, n_value_words_ = 0, n_state_words_ = 0;
  bool takes_texts_ = false, owns_state_ = false, has_text_state_ = false, goes_ahead_ = false;
  bool is_of_arrays_ = false;         ///< what the state owns is memory of arrays
  std::vector<size_t> memory_at_;     ///< its words in state_
  bool is_filled_ = false;            ///< filled_ has the arguments' words, of what seen_ saw
  std::vector<uint64_t> filled_;
  SeenArguments seen_;
  uint64_t last_look_ = 0;
  int n_together_ = 0;                ///< steps since then
  size_t at_ = 0, n_ = 0, n_ahead_ = 1;
};

struct Object {
  PyObject base;
  Steps* steps;
};

PyTypeObject* steps_type = nullptr;

Steps& steps_of(PyObject* self) { return *reinterpret_cast<Object*>(self)->steps; }

PyObject* iterate(PyObject* self) { return nb::borrow(self).release().ptr(); }

PyObject* next(PyObject* self) {
  return guarded([&] { return steps_of(self).next(); });
}

PyObject* close(PyObject* self, PyObject*) {
  if (steps_of(self).is_running()) return PyErr_SetString(PyExc_ValueError, "generator already executing"), nullptr;
  steps_of(self).close();
  return nb::none().release().ptr();
}

/// `yield` has no value in a compiled generator.
PyObject* send(PyObject* self, PyObject*) {
  PyObject* value = next(self);
  if (!value && !PyErr_Occurred()) PyErr_SetNone(PyExc_StopIteration);
  return value;
}

/// Nothing in a compiled generator catches an exception of its caller: it ends with it.
PyObject* throw_(PyObject* self, PyObject* arguments) {
  PyObject* const first = PyTuple_Size(arguments) ? PyTuple_GetItem(arguments, 0) : nullptr;
  const bool is_type = first && PyExceptionClass_Check(first);
  if (!is_type && !(first && PyExceptionInstance_Check(first)))
    return PyErr_SetString(PyExc_TypeError, "exceptions must be classes or instances deriving from BaseException"), nullptr;
  steps_of(self).close();
  PyObject* const value = PyTuple_Size(arguments) > 1 ? PyTuple_GetItem(arguments, 1) : Py_None;
  if (is_type) PyErr_SetObject(first, value == Py_None ? nullptr : value);
  else PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(first)), first);
  return nullptr;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  return reinterpret_cast<Object*>(self)->steps ? steps_of(self).traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
  if (reinterpret_cast<Object*>(self)->steps) steps_of(self).clear();
  return 0;
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(reinterpret_cast<Object*>(self)->steps, nullptr);
  PyObject_GC_Del(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

/// The iterator, or a text that says why the steps have no compiled form for these arguments.
nb::object make(nb::handle begin, nb::handle resume, nb::tuple given, bool is_pure) {
  auto steps = std::make_unique<Steps>(begin, resume, given, is_pure);
  try {
    steps->prepare();
  } catch (const Error& error) {
    if (!means_no_form(error)) throw;
    return nb::str(error.what());
  }
  auto* object = PyObject_GC_New(Object, steps_type);
  if (!object) throw nb::python_error();
  object->steps = steps.release();
  PyObject_GC_Track(reinterpret_cast<PyObject*>(object));
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

}  // namespace

void bind_jit_steps(nb::module_& m) {
  static PyMethodDef methods[] = {{"send", send, METH_O, "The next value: `yield` has none in a compiled generator."},
                                  {"throw", throw_, METH_VARARGS, "Ends it with an exception."},
                                  {"close", close, METH_NOARGS, "Ends it."},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                                {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                                {Py_tp_iternext, reinterpret_cast<void*>(next)},
                                {Py_tp_methods, methods},
                                {Py_tp_doc, const_cast<char*>("The iterator of a generator function of ks.jit.")},
                                {0, nullptr}};
  static PyType_Spec spec = {"kasoku._core.JitSteps", sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | 1ul << 7, slots};
  steps_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!steps_type) throw nb::python_error();
  m.attr("JitSteps") = nb::borrow(reinterpret_cast<PyObject*>(steps_type));
  m.def("_jit_steps", &make, "begin"_a, "resume"_a, "given"_a, "is_pure"_a);
}

}  // namespace kasoku
