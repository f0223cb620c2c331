#include "kasoku/check/kernel_check.h"

#include "kasoku/array/array.h"
#include "kasoku/base/error.h"
#include "kasoku/check/shadow.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <map>

namespace kasoku {

namespace {

/// A copy in host memory; arguments that show the same memory get the same copy.
class Copies {
 public:
  explicit Copies(Device& cpu) : cpu_(cpu) {}

  Argument of(const Argument& argument) {
    if (argument.kind != Argument::Kind::array) return argument;
    const ArrayRef& from = argument.array;
    const auto [found, is_new] = copies_.try_emplace(from.data);
    Array& copy = found->second;
    if (is_new) {
      const Shape shape(from.shape, from.shape + from.ndim);
      if (!from.is_c_contiguous() && !from.is_f_contiguous())
        throw Error(ErrorKind::value, "check: an array argument is not contiguous")
            .fix("pass a copy, e.g. x.copy()");
      copy = Array::empty(shape, from.dtype, cpu_, from.itemsize);
      const size_t bytes = static_cast<size_t>(from.size()) * from.itemsize;
      Device& source = from.device ? *from.device : cpu_;
      source.copy(copy.data(), from.data, bytes, source.current_stream());
    }
    Argument result(copy);
    result.array.is_read_only = from.is_read_only;
    return result;
  }

 private:
  Device& cpu_;
  std::map<const void*, Array> copies_;
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

}  // namespace

std::vector<Finding> check_kernel(const RawKernel& kernel, const LaunchShape& shape, std::span<const Argument> args) {
  register_check_functions();
  Device& cpu = device("cpu");
  Program program = kernel.module().program();
  program.is_checked = true;
  const std::shared_ptr<Module> module = compile(program, cpu);
  Function& function = module->function(kernel.name());
  const KernelInfo& info = function.info();
  if (info.uses_grid_sync)
    throw Error(ErrorKind::unsupported, "check does not follow barriers of the whole grid, and " + kernel.name() + " has one")
        .fix("split the kernel there into two launches");
  copy_globals(kernel.module().on(kernel.device_for(args)), *module);

  Copies copies(cpu);
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

  Shadow shadow(std::move(arrays), Shadow::Agents::threads);
  const Shadow::Scope watched(shadow);
  const cpu::SerialScope serial;
  function.launch(shape, packed.pointers(), cpu.current_stream());
  std::vector<Finding> findings = shadow.findings();
  if (const Locator& locate = kernel.module().locate())
    for (Finding& finding : findings) name_users_lines(finding, locate);
  return findings;
}

}  // namespace kasoku
