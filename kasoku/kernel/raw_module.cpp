#include "kasoku/kernel/raw_module.h"

#include "kasoku/compile/backends.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/growing_list.h"
#include "kasoku/kernel/headers.h"
#include "kasoku/kernel/swapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace kasoku {

namespace {
std::atomic<LaunchInspector> launch_inspector = nullptr;
}

void set_launch_inspector(LaunchInspector inspector) { launch_inspector = inspector; }

struct RawModule::State {
  Program program;
  Locator locate;
  GrowingList<Device*, std::shared_ptr<Module>> modules;
};

struct RawKernel::Cache {
  GrowingList<Device*, Function*> functions;
};

RawModule::RawModule(std::string text) : RawModule(std::move(text), Options{}) {}

RawModule::RawModule(std::string text, Options options) : state_(std::make_shared<State>()) {
  Program& program = state_->program;
  program.text = std::move(text);
  program.file = std::move(options.file);
  program.options = std::move(options.options);
  for (const std::string& folder : options.include_dirs) program.options.push_back("-I" + folder);
  program.name_expressions = std::move(options.name_expressions);
  add_headers(program);
  state_->locate = std::move(options.locate);
}

const Program& RawModule::program() const { return state_->program; }
const Locator& RawModule::locate() const { return state_->locate; }

Module& RawModule::on(Device& device) const {
  return *state_->modules.find_or(&device, [&] {
    return with_users_lines(state_->locate, [&] { return compile(state_->program, device); });
  });
}

RawKernel RawModule::kernel(std::string name) const { return RawKernel(*this, std::move(name)); }

RawKernel::RawKernel(RawModule module, std::string name)
    : module_(std::move(module)), name_(std::move(name)), cache_(std::make_shared<Cache>()) {}

RawKernel RawKernel::at_home_on(Device& device, bool of_pycuda) const {
  RawKernel kernel = *this;
  kernel.home_ = &device;
  kernel.is_of_pycuda_ = of_pycuda;
  return kernel;
}

Device& RawKernel::device_for(std::span<const Argument> args, Stream* stream) const {
  return kasoku::device_for(name_, args, stream, {home_});
}

Function& RawKernel::on(Device& device) const {
  if (Function** found = cache_->functions.find(&device)) return **found;
  return *cache_->functions.find_or(&device, [&] { return &module_.on(device).function(name_); });
}

void RawKernel::operator()(const std::optional<LaunchShape>& shape, std::span<const Argument> args,
                           Stream* stream) const {
  Device* const device = &device_for(args, stream);
  Function& function = on(*device);
  const KernelInfo& kernel = function.info();
  if (leaves_more_) args = args.first(std::min(args.size(), kernel.params.size()));
  PackedArguments packed;
  pack_arguments(kernel, args, *device, packed);
  LaunchShape used;
  if (shape) {
    used = *shape;
  } else {
    int64_t size = -1;
    for (const Argument& argument : args)
      if (argument.kind == Argument::Kind::array) size = std::max(size, argument.array.size());
    if (size < 0)
      throw Error(ErrorKind::value, kernel.name + ": how many threads is not known")
          .why("no block and grid are given, and no argument is an array")
          .fix("give both, e.g. block=(256, 1, 1), grid=(16, 1)");
    used.block[0] = function.suggested_block();
    used.grid[0] = static_cast<uint32_t>((size + used.block[0] - 1) / used.block[0]);
  }
  if (!stream) stream = &device->current_stream();
  for (const Argument& argument : args)
    if (argument.array.buffer) argument.array.buffer->use_on(*stream);
  if (const LaunchInspector inspect = launch_inspector.load(std::memory_order_relaxed)) inspect(*this, used, args);
  with_users_lines(module_.locate(), [&] { function.launch(used, packed.pointers(), *stream); });
  check_ends(kernel, args);
  note_launch(kernel, args);
}

}  // namespace kasoku
