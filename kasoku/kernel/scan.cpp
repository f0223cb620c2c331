#include "kasoku/kernel/scan.h"

#include "kasoku/array/fuse.h"
#include "kasoku/base/rounding.h"
#include "kasoku/base/text.h"
#include "kasoku/codegen/scan_text.h"
#include "kasoku/codegen/scans.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/growing_list.h"
#include "kasoku/kernel/headers.h"

#include <fmt/format.h>

namespace kasoku {
namespace {

struct ScanLaunch {
  std::shared_ptr<Module> module;
  Function *totals, *befores, *own;
  size_t size;  ///< bytes of an element
};

}  // namespace

struct ScanParts {
  ScanKind kind;
  KernelType type;
  std::string scan_expr, neutral;
  ScanOptions options;
};

struct ScanKernel::State : ScanParts {
  GrowingList<std::pair<Device*, bool>, ScanLaunch> launches;  ///< and whether by threads

  bool by_threads(const Device& device) const { return takes_gpu_form(device) || options.is_checked; }  // the checker asks for its threads
  Scan scan(const Device& device) const;
  Program program(const Device& device) const;
  const ScanLaunch& launch_on(Device& device);
  /// Totals of chunks, what is before each, then all elements.
  void run(const ScanLaunch& launch, const void* in, void* out, int64_t count, Device& device, Stream& stream);
};

/// What the user wrote as the loop of codegen/scan_text.h. Memory of results may be that of the elements.
Scan ScanKernel::State::scan(const Device& device) const {
  // A block holds a tile of values, and has so much memory for them.
  constexpr size_t most_bytes = 16;
  const size_t size = type.dtype == Dtype::opaque ? type.size : info(type.dtype).size;
  Scan scan;
  scan.loop = {.operands = {{"in", "_type_scan", Inner::unit}}, .is_reduction = true};
  scan.by_threads = by_threads(device);
  scan.form = scan.by_threads && (size == 0 || size > most_bytes) ? ReduceForm::threads : ReduceForm::rows;
  scan.type = "_type_scan";
  scan.value_bytes = size;
  scan.start = "_neutral()";
  scan.join = [](const std::string& a, const std::string& b) { return fmt::format("_scan({}, {})", a, b); };
  scan.element = [loop = scan.loop](const Place& place, const std::string& indent) {
    return fmt::format("{}const _type_scan _value = {};\n", indent, value_at(loop, loop.operands[0], place));
  };
  scan.value = "_value";
  return scan;
}

Program ScanKernel::State::program(const Device& device) const {
  const std::string& name = options.name;
  std::string out;
  if (!by_threads(device)) out += "#pragma clang fp contract(off)\n";
  if (type.text.find("complex") != std::string::npos) out += "#include <pycuda-complex.hpp>\n";
  if (!options.preamble.empty())
    out += fmt::format("#line 1 \"{} preamble\"\n{}\n#line 1 \"kasoku\"\n", name, options.preamble);
  out += fmt::format("typedef {} _type_scan;\ntypedef long long ks_index;\n", type.text);
  out += fmt::format(
      "__device__ __forceinline__ _type_scan _scan(_type_scan a, _type_scan b) {{\n"
      "  return _type_scan(\n#line 1 \"{} scan_expr\"\n{}\n#line 1 \"kasoku\"\n  );\n}}\n",
      name, scan_expr);
  out += fmt::format("__device__ __forceinline__ _type_scan _neutral() {{ return {}; }}\n",
                     neutral.empty() ? "_type_scan()" : "_type_scan(" + neutral + ")");
  Scan part = scan(device);
  const auto kernel = [&](const std::string& kernel_name, const char* y) {
    out += fmt::format("__global__ void {}(const _type_scan* _m_in, _type_scan* {}, {}) {{\n{}}}\n", kernel_name, y, scan_parameters(part), scan_text(part));
  };
  part.gives_totals = true;
  kernel(name + "_totals", "y");
  out += fmt::format("__global__ void {}_befores({}) {{\n{}}}\n", name, befores_parameters(part.type), befores_text(part.type, part.join));
  part.gives_totals = false;
  part.loop.operands.push_back({"y", "_type_scan", Inner::unit, Walk::memory, true});
  part.store = [&](const Place& place, const std::string& value, const std::string& indent) {
    return fmt::format("{}{} = {};\n", indent, value_at(part.loop, part.loop.operands[1], place), value);
  };
  part.is_exclusive = kind == ScanKind::exclusive;
  kernel(name, "_m_y");
  Program program;
  program.text = std::move(out);
  program.file = name;
  program.options = options.options;
  program.is_generated = !options.is_checked;
  program.is_checked = options.is_checked;
  add_headers(program);
  return program;
}

const ScanLaunch& ScanKernel::State::launch_on(Device& device) {
  return launches.find_or({&device, by_threads(device)}, [&] {
    ScanLaunch launch;
    launch.module = with_users_lines(options.locate, [&] { return compile(program(device), device); });
    launch.totals = &launch.module->function(options.name + "_totals");
    launch.befores = &launch.module->function(options.name + "_befores");
    launch.own = &launch.module->function(options.name);
    launch.size = launch.totals->info().params.empty()
                      ? type.size
                      : launch.totals->info().params[0].element_size;
    return launch;
  });
}

void ScanKernel::State::run(const ScanLaunch& launch, const void* in, void* out, int64_t count, Device& device, Stream& stream) {
  const int64_t chunks = divide_up(count, chunk_of_scan(count)), size = static_cast<int64_t>(launch.size);
  const auto values = [&](int64_t n) { return chunks > 1 ? Array::empty({n * size}, Dtype::uint8, device) : Array(); };
  const Array totals = values(chunks), before = values(chunks), of_groups = values(groups_above(chunks));
  void* const before_memory = chunks > 1 ? before.data() : nullptr;
  const Scan text = scan(device);
  const int workers = device.properties().multiprocessors;
  const IterationSpace space{.lengths = {count}, .kept = 0, .walks = {{.strides = {size}, .unit = size}}};
  const ReduceLaunch numbers = scan_launch(space, text.form, text.by_threads, launch.size, workers);
  const auto start = [&](Function& function, const void* to) {
    PackedArguments packed;
    packed.add_value(in);
    packed.add_value(to);
    add_numbers(space, [&](int64_t number) { packed.add_value(number); });
    for (int k = 0; k < numbers.count; ++k) packed.add_value(numbers.numbers[k]);
    if (&function != launch.totals) packed.add_value(before_memory);
    function.launch(numbers.shape, packed.pointers(), stream);
  };
  if (chunks > 1) {
    start(*launch.totals, totals.data());
    PackedArguments packed;
    for (void* const memory : {before_memory, totals.data(), of_groups.data()}) packed.add_value(memory);
    for (const int64_t number : {int64_t{1}, chunks, groups_above(chunks)}) packed.add_value(number);
    launch.befores->launch(befores_launch(1, chunks, text.by_threads, workers), packed.pointers(), stream);
  }
  start(*launch.own, out);
}

ScanKernel::ScanKernel(ScanKind kind, KernelType type, std::string scan_expr, std::string neutral,
                       ScanOptions options)
    : state_(std::make_shared<State>()) {
  check_kernel_name(options.name);
  if (kind == ScanKind::exclusive && neutral.empty())
    throw Error(ErrorKind::value, "an exclusive scan needs its neutral element")
        .why("the first result is made of no element");
  state_->kind = kind;
  state_->type = std::move(type);
  state_->scan_expr = std::move(scan_expr);
  state_->neutral = std::move(neutral);
  state_->options = std::move(options);
}

void ScanKernel::operator()(const Argument& in, const Argument& out, Stream* stream) const {
  const std::string& name = state_->options.name;
  const Argument both[] = {in, out};
  for (const Argument& argument : both) {
    const char* what = &argument == both ? "input" : "output";
    if (argument.kind != Argument::Kind::array)
      throw Error(ErrorKind::type, fmt::format("{}: the {} must be an array, got {}", name, what,
                                               argument.str()));
    if (state_->type.dtype != Dtype::opaque && argument.array.dtype != state_->type.dtype)
      throw Error(ErrorKind::type, fmt::format("{}: the {} must be {}, got {}", name, what,
                                               info(state_->type.dtype).name, argument.str()));
    if (!argument.array.is_c_contiguous())
      throw Error(ErrorKind::value, fmt::format("{}: the {} is not contiguous", name, what))
          .fix("pass a copy");
  }
  if (in.array.size() != out.array.size())
    throw Error(ErrorKind::value, fmt::format("{}: input and output have different lengths, {} and {}",
                                              name, in.array.size(), out.array.size()));
  if (out.array.is_read_only)
    throw Error(ErrorKind::value, name + ": the output is read-only");
  Device* device = &device_for(name, both, stream);
  if ((in.array.is_host || out.array.is_host) && !device->is_host())
    throw Error(ErrorKind::type, name + ": an array in host memory cannot be scanned on " +
                                     device->str());
  if (!stream) stream = &device->current_stream();
  const ScanLaunch& launch = state_->launch_on(*device);
  if (in.array.itemsize != launch.size)
    throw Error(ErrorKind::type, fmt::format("{}: elements of {} bytes, the scan has {}", name,
                                             in.array.itemsize, launch.size));
  for (const Argument& argument : both)
    if (argument.array.buffer) argument.array.buffer->use_on(*stream);
  if (out.array.buffer) {
    out.array.buffer->history.written_by_kernel = true;
    out.array.buffer->history.zeroed = false;
  }
  if (in.array.size() == 0) return;
  state_->run(launch, in.array.data, out.array.data, in.array.size(), *device, *stream);
}

void ScanKernel::watch() {
  auto watched = std::make_shared<State>();
  static_cast<ScanParts&>(*watched) = *state_;
  watched->options.is_checked = true;
  state_ = std::move(watched);
}

const ScanOptions& ScanKernel::options() const { return state_->options; }
ScanKind ScanKernel::kind() const { return state_->kind; }
const KernelType& ScanKernel::type() const { return state_->type; }
std::string ScanKernel::text() const { return state_->program(default_device()).text; }

}  // namespace kasoku
