#include "kasoku/jit/compiled.h"

#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/stack.h"
#include "kasoku/device/stream.h"
#include "kasoku/jit/offload.h"
#include "kasoku/jit/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace kasoku::jit {

Compiled::Compiled(std::shared_ptr<const Unit> unit, const std::vector<Type>& arguments,
                   const std::vector<Type>& hidden, Device* device)
    : unit_(std::move(unit)), device_(device) {
  TypedUnit typed = infer(*unit_, arguments);
  typed.hidden = hidden;
  for (const auto& function : typed.functions) functions_.push_back(function ? function->function : nullptr);
  lowered_ = lower(typed, device != nullptr);
  for (const Type& type : lowered_.arguments) argument_words_ += words_of(type);
  result_words_ = words_of(lowered_.result);
  register_functions();
  if (device) register_offload_functions();
  module_ = compile(lowered_.program, kasoku::device("cpu"));
  entry_ = &module_->function(lowered_.entry);
  if (lowered_.kernels.empty()) return;
  device_module_ = compile(lowered_.device_program, *device);
  for (const std::string& name : lowered_.kernels) kernels_.push_back(&device_module_->function(name));
}

namespace {

/// What is around calls on this thread: the function holds memory, and its loops ask whether to stop.
struct Around {
  Around(CallRecord& record, bool recurses) : nudges(record.is_asked), running(record) {
    record.interrupt = &interrupt;
    if (!recurses) return;
    const cpu::Stack& stack = cpu::stack_of_thread();
    record.stack_end = stack.end(), record.stack_room = stack.high - stack.end();
  }
  const cpu::NudgeFlag nudges;
  InterruptCheck interrupt;
  const RunningCall running;
};

}  // namespace

void Compiled::call_in_turn(CallRecord& record, size_t n, kasoku::Function::NextArgs next, void* context) const {
  const Around around(record, lowered_.recurses);
  const cpu::LaunchWatch watch;
  CallRecord* pointer = &record;
  void* arguments[] = {&pointer, context};
  entry_->launch_each(arguments, n, next, module_->device().current_stream());
}

void Compiled::call(CallRecord& record) const {
  if (is_short()) return call_each(record, 1);
  const Around around(record, lowered_.recurses);
  CallRecord* pointer = &record;
  void* arguments[] = {&pointer};
  Stream& stream = module_->device().current_stream();
  if (!device_) {
    const cpu::LaunchWatch watch;
    return entry_->launch_one(arguments, stream);
  }
  OffloadCall offload(record, *device_, kernels_, lowered_.device_words ? argument_words_ : 0);
  entry_->launch(LaunchShape{}, arguments, stream);
  offload.finish();
}

void Compiled::call_each(CallRecord& record, size_t n) const {
  const Around around(record, false);
  CallRecord* pointer = &record;
  int words = call_words();
  void* arguments[] = {&pointer, &words};
  Stream& stream = module_->device().current_stream();
  if (n == 1) return entry_->launch_one(arguments, stream);
  const auto next = [](void* const* args, size_t i) {
    CallRecord& record = **static_cast<CallRecord**>(args[0]);
    if (i && !record.status) record.words += *static_cast<const int*>(args[1]);
    return !record.status;
  };
  entry_->launch_each(arguments, n, next, stream);
}

std::string failure_text(const CallRecord& record, std::span<const jit::Function* const> functions) {
  const jit::Function* function =
      record.function >= 0 && static_cast<size_t>(record.function) < functions.size() ? functions[static_cast<size_t>(record.function)] : nullptr;
  const std::string name = record.name ? record.name : "";
  const auto with_numbers = [&](const std::string& message) {
    try {
      return fmt::format(fmt::runtime(message), record.a, record.b);
    } catch (const fmt::format_error&) {
      return message;
    }
  };
  std::string text;
  switch (static_cast<Failure>(record.status)) {
    case Failure::index:
      // What the program gave no name has one of ours.
      text = record.c == -3            ? record.b == 0 ? "pop from empty list" : "pop index out of range"
             : record.c == -2          ? "string index out of range"
             : record.c == -4          ? "range object index out of range"
             : record.c < 0            ? "tuple index out of range"
             : name.starts_with("ks_") ? fmt::format("index {} is out of bounds for axis {}, which has {} elements", record.a, record.c, record.b)
                                       : fmt::format("index {} is out of bounds for axis {} of '{}', which has {} elements", record.a, record.c, name, record.b);
      break;
    case Failure::zero_division: text = "division by zero"; break;
    case Failure::value:
    case Failure::overflow: text = with_numbers(name); break;
    case Failure::memory:
      text = record.a < 0    ? "negative dimensions are not allowed"
             : record.b == 0 ? "a list, dict or text does not fit into memory"
                             : fmt::format("an array of {} elements of {} bytes does not fit into memory", record.a, record.b);
      break;
    case Failure::shape:
      text = fmt::format("operands of lengths {} and {} do not broadcast", record.a, record.b);
      break;
    case Failure::assertion: text = name; break;
    case Failure::unbound: text = fmt::format("cannot access local variable '{}' where it is not associated with a value", name); break;
    case Failure::recursion: text = "maximum recursion depth exceeded: the call stack is full"; break;
    case Failure::key: break;  // the exception holds the key itself
    case Failure::raised: {
      if (name.starts_with('#')) break;  // Python makes the exception
      const size_t end = name.find('\n');
      text = end == std::string::npos ? "" : with_numbers(name.substr(end + 1));
      break;
    }
    default: text = "the call was ended"; break;
  }
  // NumPy's algorithms are functions of ours, and their lines say nothing to a program.
  const bool is_ours = function && function->file.find("/kasoku/_library/") != std::string::npos;
  if (function && record.line > 0 && !is_ours) text += (text.empty() ? "  at   " : "\n  at   ") + place_text(*function, {record.line, 0});
  return text;
}

void Compiled::rethrow_placed(const CallRecord& record) const {
  try {
    std::rethrow_exception(record.interruption);
  } catch (Error& error) {
    if (record.function >= 0 && static_cast<size_t>(record.function) < functions_.size())
      error.at(place_text(*functions_[static_cast<size_t>(record.function)], {record.line, 0}));
    throw;
  }
}

namespace {

/// The text with its last #line before each of its lines: what the compiler says of any of them has the user's line.
std::string with_marks(const std::string& text) {
  std::string out, mark;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#line ")) mark = line + "\n";
    else if (!mark.empty() && !line.starts_with("#")) out += mark;
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::vector<Remark> Compiled::vectorized() const {
  if (device_) return {};
  Program program = lowered_.program;
  program.text = with_marks(program.text);
  const uint32_t block[3] = {1, 1, 1};
  std::istringstream lines(code_text(program, kasoku::device("cpu"), lowered_.entry, CodeForm::loops, block));
  std::map<std::pair<std::string, int>, std::string> reasons;  // "": vectorized, in one of its versions
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string function, number, verdict, words;
    std::getline(fields, function, '\t'), std::getline(fields, number, '\t');
    std::getline(fields, verdict, '\t'), std::getline(fields, words);
    const std::pair key{function, std::stoi(number)};
    const std::string_view prefix = "loop not vectorized: ";
    const auto say = [&](const std::string& reason) {
      std::string& said = reasons.emplace(key, reason).first->second;
      if (said.starts_with("could not determine number")) said = reason;  // of the copy that tests each index
    };
    if (verdict == "passed") reasons[key].clear();
    else if (words.starts_with(prefix)) say(words.substr(prefix.size()));
    else if (words.find("vectorization is not beneficial") != std::string::npos) say(words);
  }
  std::set<std::pair<std::string, int>> wanted;  // a copy of a loop that tests each index has its body's lines
  for (const Remark& remark : lowered_.remarks) wanted.emplace(remark.function, remark.line);
  for (const auto& function : unit_->functions)
    each_stmt(function->body, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::for_ || stmt.kind == StmtKind::while_) wanted.emplace(function->name, stmt.place.line);
    });
  std::vector<Remark> remarks;
  for (const auto& [key, reason] : reasons)
    if (wanted.contains(key))
      remarks.push_back({key.first, key.second, reason.empty() ? "vectorised" : "not vectorised: " + reason.substr(0, reason.find(". "))});
  return remarks;
}

std::string Compiled::report() const {
  const jit::Function& root = *unit_->functions[0];
  std::string text = root.name + "(";
  for (size_t i = 0; i < lowered_.arguments.size() && i < root.parameters.size(); ++i)
    text += (i ? ", " : "") + str(lowered_.arguments[i]);
  text += ") -> " + str(lowered_.result) + (device_ ? " on " + device_->str() : "") + "\n";
  std::vector<Remark> remarks = lowered_.remarks;
  for (Remark& remark : vectorized()) remarks.push_back(std::move(remark));
  std::set<std::pair<int, std::string>> said;  // a loop that was written twice is one loop
  std::map<const jit::Function*, std::vector<const Remark*>> by_function;
  for (const Remark& remark : remarks) {
    const auto is_named = [&](const auto& each) { return each->name == remark.function; };
    const auto function = std::ranges::find_if(unit_->functions, is_named);
    if (function == unit_->functions.end() || !said.emplace(remark.line, remark.function + remark.text).second) continue;
    by_function[function->get()].push_back(&remark);
  }
  for (const auto& function : unit_->functions) {
    std::vector<const Remark*>& own = by_function[function.get()];
    std::ranges::stable_sort(own, {}, &Remark::line);
    for (const Remark* remark : own)
      text += fmt::format("  {}:{}  {}\n", function->file, function->first_line + remark->line - 1, remark->text);
  }
  return text;
}

}  // namespace kasoku::jit
