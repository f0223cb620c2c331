/// \file python/src/jit_entry.cpp
/// A function of ks.jit for one list of argument types: where it runs, its compilation, a call, what a failure raises.
#include "jit_lists.h"
#include "jit_raise.h"
#include "jit_state.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/replay.h"
#include "kasoku/jit/signature.h"
#include "kasoku/jit/typed_function.h"
#include "to_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace kasoku {

using namespace jit;

bool still_holds(const JitState& state) {
  for (const Dependency& dependency : state.dependencies)
    if (!dependency.holds()) return false;
  return true;
}

void forget(JitState& state) {
  state.is_read = false;
  state.entries.clear();
  state.dependencies.clear();
  state.refused.clear();
  state.unit.reset();
}

namespace {

bool cannot_be_read(const JitState& state) {
  if (state.is_read) return false;
  try {
    read_function({state.function, state.options, state.declared});
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

bool means_no_form(const Error& error) {
  if (dynamic_cast<const SignatureError*>(&error)) return false;
  return error.kind == ErrorKind::type || error.kind == ErrorKind::unsupported || error.kind == ErrorKind::compile;
}

void refuse(JitState& state, const std::string& signature, const Error& error) {
  if (state.nopython) throw_typing_error(error);
  const JitLock alone;
  const Options& o = state.options;
  if (!state.interpreted.is_valid())
    state.interpreted = nb::module_::import_("kasoku._jit")
                          .attr("_Interpreted")(state.function, error.what(), o.parallel, o.fastmath, o.boundscheck, o.python_errors);
  if (state.hidden.empty()) state.refused.insert(signature);
  state.is_unreadable = cannot_be_read(state);
}

namespace {

bool offloads_to_cpu = false;

/// Where a call without arrays runs: nullptr is the host itself.
Device* default_place() {
  if (offloads_to_cpu) return &device("cpu");
  Device& wanted = default_device();
  return wanted.is_host() ? nullptr : &wanted;
}

/// Where a call with these arrays runs. An error names what lies elsewhere.
Device* place_of(const Where& where) {
  if (where.other)
    throw Error(ErrorKind::type, fmt::format("arrays of one call lie on {} and {}", where.device->str(), where.other->str()))
        .fix(fmt::format("move them: x.to_device(\"{}\")", where.device->str()));
  if (where.device && !where.device->is_host()) {
    if (where.has_numpy)
      throw Error(ErrorKind::type, fmt::format("arrays of one call lie on {} and in host memory", where.device->str()))
          .fix(fmt::format("ks.asarray(x, device=\"{}\")", where.device->str()));
    return where.device;
  }
  if (offloads_to_cpu) return &device("cpu");
  return where.device || where.has_numpy ? nullptr : default_place();
}

}  // namespace

bool set_offloads_to_cpu(bool on) { return std::exchange(offloads_to_cpu, on); }

namespace {

void read(JitState& state) {
  if (state.is_read) return;
  ReadFunction read = read_function({state.function, state.options, state.declared});
  state.unit = std::move(read.unit);
  state.dependencies = std::move(read.dependencies);
  state.hidden = std::move(read.arrays);
  state.raised = std::move(read.raised);
  state.is_read = true;
}

std::shared_ptr<JitEntry> compile_with_known_overloads(JitState& state, const std::vector<Type>& types, Where& where) {
  read(state);
  for (const nb::object& array : state.hidden) where.look(array.ptr());
  Device* const place = state.options.is_cuda ? nullptr : place_of(where);
  if (place)
    for (const Type& type : types) {
      if (type.is_generator()) throw Error(ErrorKind::type, "generators of NumPy draw on the host alone").fix("use np.random in the function");
      if (type.is_record() || type.has_records()) throw Error(ErrorKind::type, "structured arrays have no compiled form on a device").fix("pass the fields as arrays of their own");
      if (type.is_hashed() || type.is_bytes()) throw Error(ErrorKind::type, fmt::format("a {} has no compiled form on a device", str(type)));
    }
  for (const auto& entry : state.entries)  // another thread may have been faster
    if (entry->arguments == types && entry->compiled.device() == place) return entry;
  std::vector<Type> hidden;
  for (const nb::object& array : state.hidden) hidden.push_back(type_of_value(array));
  const std::shared_ptr<const Unit> unit = state.unit;
  auto entry = [&] {
    const GilReleased released;
    return std::shared_ptr<JitEntry>(new JitEntry{Compiled(unit, types, hidden, place), types, {}, {}},
                                  [](JitEntry* p) { delete p; });
  }();
  entry->hidden = state.hidden;
  entry->raised = state.raised;
  entry->is_placed = where.device || where.has_numpy;
  state.entries.insert(state.entries.begin(), entry);
  return entry;
}

}  // namespace

std::vector<Type> for_any_letters(JitState& state, std::vector<Type> types) {
  const JitLock alone;
  read(state);
  const jit::Function& function = *state.unit->functions[0];
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].kind == TypeKind::text && is_read_as_letters(function, i)) types[i] = string_type;
  return types;
}

std::shared_ptr<JitEntry> compile_for(JitState& state, std::vector<Type> types, Where& where) {
  const JitLock alone;
  return with_overloads(
      state.options.is_cuda, [&] { return compile_with_known_overloads(state, types, where); },
      [&] { state.is_read = false; });
}

void raise_of_call(const JitEntry& entry, const CallRecord& record) {
  if (failure_name(record).empty()) {  // the call was ended from outside
    if (record.is_placed_error) entry.compiled.rethrow_placed(record);
    if (record.interruption) std::rethrow_exception(record.interruption);
  }
  raise_failure(record, entry.compiled.failure_text(record), entry.raised);
}

namespace {

PyObject* run(const JitEntry& entry, uint64_t* words, PyObject* const* arguments, size_t n, Offloaded* offloaded, ListScope& lists) {
  CallRecord record;
  record.words = words;
  if (offloaded || entry.compiled.lowered().has_loops || entry.compiled.result_words() > 4) {
    const GilReleased released;
    entry.compiled.call(record);
  } else {
    entry.compiled.call(record);
  }
  if (record.status) {
    if (!record.interruption) lists.write_back(arguments, n);  // Ctrl-C waits for nothing
    raise_of_call(entry, record);
  }
  const Type& result = entry.compiled.lowered().result;
  const uint64_t* at = words;
  nb::object value = result.kind == TypeKind::none ? nb::none() : unpack(result, at, arguments, n, offloaded);
  lists.write_back(arguments, n);
  return value.release().ptr();
}

}  // namespace

bool fill(const JitEntry& entry, PyObject* const* arguments, size_t n, uint64_t* words, Offloaded* offloaded,
          const std::vector<Type>* given, size_t n_behind) {
  for (size_t i = 0; i < n; ++i) {
    if (given) refuse_negative(arguments[i], (*given)[i], entry.arguments[i]);
    if (given ? !pack_converted(arguments[i], (*given)[i], entry.arguments[i], words, offloaded)
              : !pack(arguments[i], entry.arguments[i], words, offloaded))
      return false;
  }
  for (size_t i = n; i < n + n_behind; ++i) words += words_of(entry.arguments[i]);
  for (size_t i = 0; i < entry.hidden.size(); ++i)
    if (!pack(entry.hidden[i].ptr(), entry.compiled.lowered().arguments[n + n_behind + i], words, offloaded)) return false;
  return true;
}

bool is_in_place(const JitEntry& entry) {
  Device* const place = entry.compiled.device();
  return (entry.is_placed || place == default_place()) && offloads_to_cpu == (place && place->is_host());
}

namespace {

PyObject* call_with_words(const JitEntry& entry, PyObject* const* arguments, size_t n, uint64_t* words,
                          const std::vector<Type>* given) {
  if (!is_in_place(entry)) return nullptr;
  ListScope lists;
  if (Device* device = entry.compiled.device()) {
    Offloaded offloaded(*device);
    return fill(entry, arguments, n, words, &offloaded, given) ? run(entry, words, arguments, n, &offloaded, lists) : nullptr;
  }
  return fill(entry, arguments, n, words, nullptr, given) ? run(entry, words, arguments, n, nullptr, lists) : nullptr;
}

}  // namespace

namespace {

const TaskValue::Kind* kind_of(const Type& type) {
  if (type.kind == TypeKind::none) return &TaskValue::nothing;
  if (type.kind != TypeKind::scalar || type.enumeration) return nullptr;
  switch (type.dtype) {
    case Dtype::bool_: return &TaskValue::boolean;
    case Dtype::int64:
    case Dtype::int32:
    case Dtype::int16:
    case Dtype::int8:
    case Dtype::uint32:
    case Dtype::uint16:
    case Dtype::uint8: return &TaskValue::integer;
    case Dtype::float64:
    case Dtype::float32: return &TaskValue::real;
    default: return nullptr;
  }
}

/// The number as unpack() would have it.
TaskValue number_of(const Type& type, uint64_t word) {
  if (type.kind == TypeKind::none) return {};
  switch (type.dtype) {
    case Dtype::bool_: return TaskValue::of_bool(word & 1);
    case Dtype::int32: return TaskValue::of_integer(static_cast<int32_t>(word));
    case Dtype::int16: return TaskValue::of_integer(static_cast<int16_t>(word));
    case Dtype::int8: return TaskValue::of_integer(static_cast<int8_t>(word));
    case Dtype::uint32: return TaskValue::of_integer(static_cast<uint32_t>(word));
    case Dtype::uint16: return TaskValue::of_integer(static_cast<uint16_t>(word));
    case Dtype::uint8: return TaskValue::of_integer(static_cast<uint8_t>(word));
    case Dtype::float64: return TaskValue::of_real(std::bit_cast<double>(word));
    case Dtype::float32: return TaskValue::of_real(std::bit_cast<float>(static_cast<uint32_t>(word)));
    default: return TaskValue::of_integer(static_cast<int64_t>(word));
  }
}

}  // namespace

std::shared_ptr<JitEntry> free_entry(const JitState& state) {
  const JitLock alone;
  if (state.entries.empty() || !state.declared.empty() || (state.options.parallel && is_observed())) return nullptr;
  const std::shared_ptr<JitEntry>& entry = state.entries.front();
  const bool is_free = entry->hidden.empty() && !entry->is_placed && !entry->compiled.device() &&
                       kind_of(entry->compiled.lowered().result) &&
                       std::ranges::all_of(entry->arguments, [](const Type& type) {
                         return kind_of(type) && type.kind == TypeKind::scalar && (type.dtype == Dtype::int64 || type.dtype == Dtype::float64 || type.dtype == Dtype::bool_);
                       });
  return is_free ? entry : nullptr;
}

FreeCalls::FreeCalls(const JitEntry& entry) : entry_(entry), stride_(static_cast<size_t>(entry.compiled.call_words())) {
  for (size_t i = 0; i < std::min(entry.arguments.size(), std::size(kinds_)); ++i) kinds_[i] = kind_of(entry.arguments[i]);
}

size_t FreeCalls::room(size_t n, size_t n_arguments) const {
  if (n_arguments != entry_.arguments.size() || stride_ > std::size(words_) || offloads_to_cpu || default_place()) return 0;
  const jit::Compiled& compiled = entry_.compiled;
  if (n > 1 && !(compiled.is_short() && !compiled.lowered().uses_random)) return 0;
  return std::min(n, std::size(words_) / std::max<size_t>(stride_, 1));
}

size_t FreeCalls::run(bool has_lock) {
  if (!n_) return 0;
  const jit::Compiled& compiled = entry_.compiled;
  CallRecord record;
  record.words = words_;
  if (compiled.is_short()) {
    compiled.call_each(record, n_);
    last_ = stride_ ? static_cast<size_t>(record.words - words_) / stride_ : 0;
  } else {
    std::optional<GilReleased> released;
    if (has_lock && compiled.lowered().has_loops) released.emplace();
    compiled.call(record);
  }
  if (record.status) {
    const GilHeld gil;
    raise_of_call(entry_, record);
  }
  return n_;
}

TaskValue FreeCalls::result(size_t i) const { return number_of(entry_.compiled.lowered().result, words_[i * stride_]); }

PyObject* call_entry(const std::shared_ptr<JitEntry>& entry, PyObject* const* arguments, size_t n,
                     const std::vector<Type>* given) {
  refuse_to_record("a call of a compiled function");
  const int need = std::max(entry->compiled.argument_words(), entry->compiled.result_words());
  if (need <= words_at_hand) {
    uint64_t words[words_at_hand];
    return call_with_words(*entry, arguments, n, words, given);
  }
  std::vector<uint64_t> words(static_cast<size_t>(need));
  return call_with_words(*entry, arguments, n, words.data(), given);
}

}  // namespace kasoku
