#include "kasoku/check/kernel_check.h"

#include "kasoku/array/array.h"
#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/check/shadow.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <map>
#include <set>

namespace kasoku {

namespace {

/// Copies in host memory; arguments that show the same memory show the same copy.
class Copies {
 public:
  Copies(Device& cpu, std::span<const Argument> args) : cpu_(cpu) {
    std::map<const char*, size_t> spans;  // bytes by first byte; those that overlap are one
    for (const Argument& argument : args) {
      if (const Buffer* buffer = argument.array.buffer; argument.kind == Argument::Kind::pointer && buffer)
        spans[static_cast<const char*>(buffer->memory())] = buffer->bytes();
      if (argument.kind != Argument::Kind::array) continue;
      if (!argument.array.is_c_contiguous() && !argument.array.is_f_contiguous())
        throw Error(ErrorKind::value, "check: an array argument is not contiguous")
            .fix("pass a copy, e.g. x.copy()");
      size_t& bytes = spans[static_cast<const char*>(argument.array.data)];
      bytes = std::max(bytes, bytes_of(argument.array));
    }
    for (auto at = spans.begin(); at != spans.end();) {
      const char* const first = at->first;
      const char* end = first + at->second;
      for (++at; at != spans.end() && at->first < end; ++at) end = std::max(end, at->first + at->second);
      copies_.emplace(first, Array::empty({end - first}, Dtype::uint8, cpu_));
    }
  }

  ~Copies() {  // what the kernel wrote behind them is told already
    for (const auto& [first, copy] : copies_) cpu_.was_overrun(copy.buffer()->memory(), copy.buffer()->bytes());
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  Argument of(const Argument& argument) {
    if (const Buffer* buffer = argument.array.buffer; argument.kind == Argument::Kind::pointer && buffer) {
      Argument result = argument;
      result.pointer = copied(buffer->memory(), buffer->bytes(), buffer->device());
      result.array.buffer = nullptr;
      return result;
    }
    if (argument.kind != Argument::Kind::array) return argument;
    Argument result = argument;
    result.array.data = copied(argument.array.data, bytes_of(argument.array), argument.array.device ? *argument.array.device : cpu_);
    result.array.device = &cpu_;
    result.array.buffer = nullptr;
    result.array.is_host = false;
    return result;
  }

 private:
  static size_t bytes_of(const ArrayRef& array) { return static_cast<size_t>(array.size()) * array.itemsize; }

  /// The place of the copy, which has the values that the memory has now.
  char* copied(const void* memory, size_t bytes, Device& source) {
    const char* const from = static_cast<const char*>(memory);
    const auto found = std::prev(copies_.upper_bound(from));
    char* const to = static_cast<char*>(found->second.data()) + (from - found->first);
    if (copied_.emplace(from, bytes).second && bytes) source.copy(to, from, bytes, source.current_stream());
    return to;
  }

  Device& cpu_;
  std::map<const char*, Array> copies_;
  std::set<std::pair<const void*, size_t>> copied_;
};

/// The globals have the values that the user's module has now.
void copy_globals(Module& from, Module& to) {
  for (const GlobalInfo& global : from.info().globals) {
    const GlobalMemory source = from.global(global.name), target = to.global(global.name);
    Device& device = from.device();
    device.copy(target.memory, source.memory, std::min(source.bytes, target.bytes), device.current_stream());
  }
}

/// The finding in the user's own file and lines, where they are known.
void name_users_lines(Finding& finding, const Locator& locate) {
  const std::string part = finding.file;
  // The sentence tells the access that completes it first, the earlier one last.
  for (int* line : {&finding.line, &finding.other_line}) {
    const auto found = *line ? locate(part, *line) : std::nullopt;
    if (!found) continue;
    const std::string told = "(line " + std::to_string(*line) + ")";
    const size_t at = line == &finding.line ? finding.text.find(told) : finding.text.rfind(told);
    if (at != std::string::npos)
      finding.text.replace(at, told.size(), "(line " + std::to_string(found->line) + ")");
    finding.file = found->file;
    *line = found->line;
  }
}

std::vector<Finding> watched(Shadow& shadow, const std::string& name, const Locator& locate,
                             const std::function<void()>& call) {
  register_check_functions();
  const Shadow::Scope watched(shadow);
  const auto inside = [&](const std::function<void()>& run) {
    const Shadow::Scope in_this_thread(shadow);
    run();
  };
  const cpu::SerialScope serial(inside, [&] { shadow.next_interval(); });
  try {
    call();
  } catch (const Error& error) {
    if (shadow.is_stuck())
      throw Error(ErrorKind::unsupported, "check runs one block after another, and a block of " + name +
                                              " waits for what a later one writes")
          .fix("check it with blocks that wait for earlier ones, or with a grid of one block");
    if (std::string_view(error.what()).find("memory that is not its own") == std::string_view::npos) throw;
    shadow.faulted("it reads or writes memory that is no array's");
  }
  std::vector<Finding> findings = shadow.findings();
  if (locate)
    for (Finding& finding : findings) name_users_lines(finding, locate);
  return findings;
}

}  // namespace

std::vector<Finding> call_watched(const std::string& name, std::vector<KnownArray> arrays, const Locator& locate,
                                  const std::function<void()>& call) {
  Shadow shadow(std::move(arrays), Shadow::Agents::threads);
  shadow.find_arrays();
  return watched(shadow, name, locate, call);
}

std::vector<Finding> launch_watched(Function& function, const LaunchShape& shape, void* const* args,
                                    std::vector<KnownArray> arrays, const Locator& locate) {
  Shadow shadow(std::move(arrays), Shadow::Agents::threads);
  return watched(shadow, function.info().name, locate,
                 [&] { function.launch(shape, args, device("cpu").current_stream()); });
}

std::vector<Finding> check_kernel(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args) {
  register_check_functions();
  Device& cpu = device("cpu");
  Program program = kernel.module().program();
  program.is_checked = true;
  const std::shared_ptr<Module> module = compile(program, cpu);
  Function& function = module->function(kernel.name());
  const KernelInfo& info = function.info();
  copy_globals(kernel.module().on(kernel.device_for(args)), *module);

  for (size_t i = 0; i < args.size() && i < info.params.size(); ++i) {
    const bool is_address = args[i].kind == Argument::Kind::pointer || args[i].kind == Argument::Kind::integer;
    if (is_address && info.params[i].kind == ParamKind::pointer && args[i].u && !args[i].array.buffer)
      throw Error(ErrorKind::unsupported, "check: " + quote(info.params[i].name) + " of " + quote(info.name) +
                                              " is an address, and how much memory lies there is not known")
          .fix("pass the array or the allocation itself");
  }
  Copies copies(cpu, args);
  std::vector<Argument> own;
  std::vector<KnownArray> arrays;
  for (const Argument& argument : args) own.push_back(copies.of(argument));
  PackedArguments packed;
  pack_arguments(info, own, cpu, packed);
  for (size_t i = 0; i < own.size() && i < info.params.size(); ++i)
    if (own[i].kind == Argument::Kind::array)
      arrays.push_back({static_cast<const char*>(own[i].array.data),
                        static_cast<uint64_t>(own[i].array.size()) * own[i].array.itemsize,
                        info.params[i].name,
                        info.params[i].element_size ? info.params[i].element_size : own[i].array.itemsize});
    else if (const Buffer* buffer = args[i].array.buffer; buffer && args[i].kind == Argument::Kind::pointer)
      arrays.push_back({static_cast<const char*>(own[i].pointer), buffer->bytes(), info.params[i].name,
                        std::max<uint64_t>(info.params[i].element_size, 1)});

  return launch_watched(function, shape, packed.pointers(), std::move(arrays), kernel.module().locate());
}

}  // namespace kasoku
