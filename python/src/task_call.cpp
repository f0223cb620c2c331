/// \file python/src/task_call.cpp
/// What a task of Python's does: its call, with the values of other tasks in their places.
#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <optional>
#include <random>

#include <pthread.h>

#include "jit_state.h"
#include "kasoku/base/error.h"
#include "known_entries.h"
#include "known_thread.h"
#include "running_call.h"
#include "task.h"
#include "vectorcall.h"

namespace kasoku {

namespace {

thread_local WatchScope* watch = nullptr;
/// The context variables of whoever computes; a call runs in a copy of them.
thread_local PyObject* context = nullptr;

class PythonLock final : public TaskLock {
 public:
  PythonLock() : context_(value_of(nb::module_::import_("contextvars").attr("copy_context")())) {
    python_ran.fetch_add(1);  // since the run before
  }
  void take() override {
    remember_thread();
    if (is_python_gone()) sleep_until_exit();
    PyGILState_Ensure();
    context = static_cast<PyObject*>(context_.object());
  }
  void give() override {
    context = nullptr;
    PyGILState_Release(PyGILState_UNLOCKED);
  }
  bool is_interrupt(const std::exception_ptr& error) const override {
    const GilHeld gil;
    try {
      std::rethrow_exception(error);
    } catch (const nb::python_error& raised) {
      return raised.matches(PyExc_KeyboardInterrupt);
    } catch (...) {
      return false;
    }
  }

 private:
  const TaskValue context_;
};

/// Room for the arguments of most calls; a call with more gets memory.
class Arguments {
 public:
  explicit Arguments(size_t n) : many_(n > few_.size() ? n : 0), first_(many_.empty() ? few_.data() : many_.data()) {}
  PyObject*& operator[](size_t i) { return first_[i]; }
  PyObject** at(size_t i) { return first_ + i; }

 private:
  std::array<PyObject*, 16> few_;
  std::vector<PyObject*> many_;
  PyObject** const first_;
};

constexpr size_t most_free_arguments = 8;

bool is_number(PyObject* object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object);
}

/// A number, which nobody changes, is read without the lock. Nothing if it is longer than 64 bits.
std::optional<TaskValue> number_in(PyObject* object) {
  if (PyFloat_CheckExact(object)) return TaskValue::of_real(PyFloat_AsDouble(object));
  if (PyBool_Check(object)) return TaskValue::of_bool(object == Py_True);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow ? std::nullopt : std::optional(TaskValue::of_integer(number));
}

/// Compiled code reads no context variable; what is interpreted may.
bool is_compiled(PyObject* function) {
  const JitState* state = jit_state_of(function);
  return state && !state->interpreted.is_valid();
}

/// The exception's last line says which task it was.
void note_task(const CallTask& task) {
  nb::python_error error;
  if (error.matches(PyExc_Exception) && nb::hasattr(error.value(), "add_note"))
    error.value().attr("add_note")("in the task " + task.key());
  error.restore();
}

nb::object value_itself(nb::object value) { return value; }

}  // namespace

void end_left_calls() { RunningCall::end_left(); }
std::shared_ptr<TaskLock> python_lock() { return std::make_shared<PythonLock>(); }

WatchScope::WatchScope(nb::object around, size_t index) : around_(std::move(around)), index_(index) { watch = this; }
WatchScope::~WatchScope() { watch = nullptr; }

nb::object identity_function() {
  static auto* function = new nb::object(nb::cpp_function(value_itself, nb::arg().none()));
  return *function;
}

// ── names and keys ──

TaskKey fresh_key() {
  // Odd multiples of a number never repeat; where they begin differs between processes, also between
  // forked ones, for graphs that travel.
  static std::atomic<uint64_t> count{0}, start{0};
  static const int at_fork = [] {
    const auto begin = [] { start = std::random_device{}() * uint64_t{0x9e3779b97f4a7c15}; };
    begin();
    return pthread_atfork(nullptr, nullptr, begin);
  }();
  static_cast<void>(at_fork);
  return {start.load(std::memory_order_relaxed) + count.fetch_add(1, std::memory_order_relaxed) * 0xbf58476d1ce4e5b9,
          {}};
}

TaskKey said_key(const std::string& text) { return {0, nb::str(text.c_str(), text.size())}; }

std::string text_of(const TaskKey& key, const std::string& name) {
  if (key.said.is_valid()) return nb::str(key.said).c_str();
  char digits[] = "-0000000000000000";
  for (int i = 0; i < 16; ++i) digits[16 - i] = "0123456789abcdef"[key.number >> 4 * i & 15];
  return name + digits;
}

PythonTask::PythonTask(nb::object name, TaskKey key, std::vector<TaskPointer> inputs, Traits traits)
    : Task(std::move(inputs), traits),
      is_key_said_(key.said.is_valid()),
      name_(name.release().ptr()),
      key_(is_key_said_ ? reinterpret_cast<uint64_t>(key.said.release().ptr()) : key.number) {}

PythonTask::~PythonTask() {
  if (is_python_gone()) return;
  const GilHeld gil;
  Py_DECREF(name_);
  if (is_key_said_) Py_DECREF(reinterpret_cast<PyObject*>(key_));
}

std::string PythonTask::name() const {
  const GilHeld gil;
  return nb::str(nb::handle(name_)).c_str();
}

std::string PythonTask::key() const {
  const GilHeld gil;
  return text_of(is_key_said_ ? TaskKey{0, nb::borrow(reinterpret_cast<PyObject*>(key_))} : TaskKey{key_, {}}, name());
}

nb::object PythonTask::key_object() const {
  return is_key_said_ ? nb::borrow(reinterpret_cast<PyObject*>(key_)) : nb::object(nb::cast(key()));
}

// ── a value ──

ValueTask::ValueTask(nb::object value, nb::object name, TaskKey key, bool is_pure)
    : PythonTask(std::move(name), std::move(key), {}, {.is_pure = is_pure}), value_(value.release().ptr()) {}

ValueTask::~ValueTask() {
  if (is_python_gone()) return;
  const GilHeld gil;
  Py_DECREF(value_);
}

TaskValue ValueTask::run(const Inputs&) const {
  Py_INCREF(value_);
  return {python_kind, value_};
}

// ── a call ──

CallTask::CallTask(nb::object name, TaskKey key, std::vector<TaskPointer> inputs, Traits traits, PyObject* names,
                   size_t n_slots)
    : PythonTask(std::move(name), std::move(key), std::move(inputs), traits),
      has_names_(names != nullptr),
      n_slots_(static_cast<uint32_t>(n_slots)) {
  if (names) Py_INCREF(slots()[n_slots] = names);
}

CallTask* CallTask::allocate(size_t n_slots, nb::object name, TaskKey key, std::vector<TaskPointer> inputs,
                             Traits traits, PyObject* names) {
  void* memory = ::operator new(sizeof(CallTask) + (n_slots + (names != nullptr)) * sizeof(PyObject*));
  return new (memory) CallTask(std::move(name), std::move(key), std::move(inputs), traits, names, n_slots);
}

CallTask::~CallTask() {
  if (is_python_gone()) return;
  const GilHeld gil;
  for (size_t i = 0; i < n_slots_; ++i)
    if (!is_input(slots()[i])) Py_DECREF(object_in(slots()[i]));
  Py_XDECREF(names());
}

TaskPointer CallTask::make(nb::handle function, nb::handle args, nb::handle kwargs, nb::object name, TaskKey key,
                           std::vector<TaskPointer> inputs, bool is_pure) {
  std::vector<nb::object> parts = {nb::borrow(function)};
  for (nb::handle argument : args) parts.push_back(nb::borrow(argument));
  nb::object names;
  if (kwargs.is_valid() && nb::len(kwargs)) {
    names = nb::tuple(kwargs);
    for (nb::handle word : names) parts.push_back(nb::borrow(kwargs[word]));
  }
  const bool has_inputs = !inputs.empty();
  CallTask* task =
      allocate(parts.size(), std::move(name), std::move(key), std::move(inputs), {.is_pure = is_pure}, names.ptr());
  for (size_t i = 0; i < parts.size(); ++i) {
    PyObject*& slot = task->slots()[i];
    if (const auto input = has_inputs ? index_of_input(parts[i]) : std::nullopt)
      slot = as_slot(*input);
    else if (has_inputs && may_hold_inputs(parts[i]))
      slot = as_nested(parts[i].release().ptr());
    else
      slot = parts[i].release().ptr();
  }
  return TaskPointer(task);
}

TaskPointer CallTask::make_plain(nb::handle function, PyObject* const* args, size_t n, PyObject* names, nb::object name,
                                 TaskKey key) {
  std::vector<TaskPointer> inputs;
  for (size_t i = 0; i < n; ++i)
    if (is_delayed(args[i])) inputs.push_back(task_of(args[i]));
  const bool may_run_free =
      !names && n <= most_free_arguments && jit_state_of(function.ptr()) &&
      std::all_of(args, args + n, [](PyObject* arg) { return is_delayed(arg) || is_number(arg); });
  CallTask* task =
      allocate(n + 1, std::move(name), std::move(key), std::move(inputs), {.may_run_free = may_run_free}, names);
  PyObject** slot = task->slots();
  size_t next = 0;
  for (size_t i = 0; i <= n; ++i) {
    PyObject* const object = i ? args[i - 1] : function.ptr();
    if (i && is_delayed(object))
      *slot++ = as_slot(next++);
    else
      Py_INCREF(*slot++ = object);
  }
  return TaskPointer(task);
}

nb::object CallTask::part(size_t i) const {
  PyObject* const slot = slots()[i];
  return is_input(slot) ? task_input(input(slot)) : nb::borrow(object_in(slot));
}

nb::tuple CallTask::args() const {
  nb::list args;
  for (size_t i = 1; i < n_slots_ - n_named(); ++i) args.append(part(i));
  return nb::tuple(args);
}

nb::dict CallTask::kwargs() const {
  nb::dict kwargs;
  const size_t n = n_named();
  for (size_t i = 0; i < n; ++i)
    kwargs[nb::handle(PyTuple_GetItem(names(), static_cast<Py_ssize_t>(i)))] = part(n_slots_ - n + i);
  return kwargs;
}

TaskValue CallTask::run(const Inputs& inputs) const {
  // Before the function, room for the context's `self` and for what the protocol writes in front.
  Arguments all(n_slots_ + 2);
  std::vector<nb::object> made;  // values that no one else holds
  if (inputs.size()) made.reserve(n_slots_);
  for (size_t i = 0; i < n_slots_; ++i) {
    PyObject* const slot = slots()[i];
    if (is_input(slot)) {
      const TaskValue& value = inputs[input(slot)];
      if (value.is(python_kind)) {
        all[i + 2] = static_cast<PyObject*>(value.object());
      } else {
        made.push_back(object_of(value));
        all[i + 2] = made.back().ptr();
      }
    } else if (is_nested(slot)) {
      made.push_back(put_values(object_in(slot), [&](size_t index) { return object_of(inputs[index]); }));
      all[i + 2] = made.back().ptr();
    } else {
      all[i + 2] = slot;
    }
  }
  const size_t n = n_slots_ - 1 - n_named();
  PyObject* result;
  const bool has_compiled_form = is_compiled(all[2]);
  const RunningCall running;
  PyObject* const around = std::exchange(context, nullptr);  // what the call itself calls is none of ours
  if (watch) {
    nb::list args;
    nb::dict kwargs;
    for (size_t i = 0; i < n; ++i) args.append(nb::handle(all[i + 3]));
    for (size_t i = 0; i < n_named(); ++i)
      kwargs[nb::handle(PyTuple_GetItem(names(), static_cast<Py_ssize_t>(i)))] = nb::handle(all[n + 3 + i]);
    result = watch->around_(watch->index_, nb::handle(all[2]), nb::tuple(args), kwargs).release().ptr();
  } else if (around && !has_compiled_form) {
    static PyObject* const copy = PyUnicode_InternFromString("copy");
    static PyObject* const run = PyUnicode_InternFromString("run");
    PyObject* whose[] = {nullptr, around};
    const nb::object own = nb::steal(vectorcall_method(copy, whose + 1, 1, nullptr));
    all[1] = own.ptr();
    result = own.is_valid() ? vectorcall_method(run, all.at(1), n + 2, names()) : nullptr;
  } else {
    result = vectorcall(all[2], all.at(3), n, names());
  }
  context = around;
  if (!is_compiled(all[2]))
    python_ran.fetch_add(1, std::memory_order_release);
  else if (may_run_free() && result)
    if (std::shared_ptr<JitEntry> entry = free_entry(*jit_state_of(all[2])))
      KnownEntries::own().add(all[2], entry);
  if (result) return {python_kind, result};
  if (running.is_left()) {
    PyErr_Clear();
    throw Error(ErrorKind::interrupted, "interrupted");  // Python's own goes while the GIL is held
  }
  note_task(*this);
  throw nb::python_error();
}

size_t CallTask::run_free(std::span<const Ready> ready) const {
  PyObject* const function = slots()[0];
  const JitEntry* const entry = KnownEntries::own().find(function);
  if (!entry) return 0;
  FreeCalls calls(*entry);
  for (const Ready& each : ready.first(calls.room(ready.size(), n_slots_ - 1))) {
    const auto& task = static_cast<const CallTask&>(*each.task);
    if (task.slots()[0] != function || task.n_slots_ != n_slots_ || !task.give_numbers(each.inputs, calls)) break;
  }
  try {
    const size_t n = calls.run(context != nullptr);
    for (size_t i = 0; i < n; ++i) *ready[i].result = calls.result(i);
    return n;
  } catch (nb::python_error& error) {
    const GilHeld gil;
    error.restore();
    note_task(static_cast<const CallTask&>(*ready[calls.last()].task));
    throw nb::python_error();
  }
}

bool CallTask::give_numbers(const Inputs& inputs, FreeCalls& calls) const {
  uint64_t* const words = calls.next();
  for (size_t i = 1; i < n_slots_; ++i) {
    PyObject* const slot = slots()[i];
    const TaskValue* const value = is_input(slot) ? &inputs[input(slot)] : nullptr;
    PyObject* const object = !value ? slot : value->is(python_kind) ? static_cast<PyObject*>(value->object()) : nullptr;
    const std::optional<TaskValue> number = !object ? *value : is_number(object) ? number_in(object) : std::nullopt;
    if (!number || !calls.take(words, i - 1, *number)) return false;
  }
  calls.add();
  return true;
}

nb::object key_of(const Task& task) {
  const auto* own = dynamic_cast<const PythonTask*>(&task);
  return own ? own->key_object() : nb::object(nb::cast(task.key()));
}

TaskPointer value_task(nb::object value, nb::object name, TaskKey key, bool is_pure) {
  return TaskPointer(new ValueTask(std::move(value), std::move(name), std::move(key), is_pure));
}

}  // namespace kasoku
