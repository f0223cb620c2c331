#include "kasoku/kernel/scan.h"

#include "kasoku/base/text.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/growing_list.h"
#include "kasoku/kernel/headers.h"

#include <fmt/format.h>

namespace kasoku {
namespace {

constexpr unsigned block = 256, per_thread = 8;
constexpr int64_t chunk = block * per_thread;

struct ScanLaunch {
  std::shared_ptr<Module> module;
  Function *totals, *chunks;
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
  GrowingList<Device*, ScanLaunch> launches;

  Program program() const;
  const ScanLaunch& launch_on(Device& device);
  /// `prefix`: y[c] = totals before chunk c, exclusive; the first one is not used.
  void scan(const ScanLaunch& launch, const void* in, void* out, int64_t count, bool is_exclusive,
            bool is_outermost, Device& device, Stream& stream);
};

// Thread t of a chunk has elements 8t … 8t + 7. `_lanes` holds one total for each thread.
Program ScanKernel::State::program() const {
  const std::string& name = options.name;
  std::string out;
  if (type.text.find("complex") != std::string::npos) out += "#include <pycuda-complex.hpp>\n";
  if (!options.preamble.empty())
    out += fmt::format("#line 1 \"{} preamble\"\n{}\n#line 1 \"kasoku\"\n", name, options.preamble);
  out += fmt::format("typedef {} _type_scan;\n", type.text);
  out += fmt::format(
      "__device__ __forceinline__ _type_scan _scan(_type_scan a, _type_scan b) {{\n"
      "  return _type_scan(\n#line 1 \"{} scan_expr\"\n{}\n#line 1 \"kasoku\"\n  );\n}}\n",
      name, scan_expr);
  out += fmt::format("__device__ __forceinline__ _type_scan _neutral() {{ return {}; }}\n",
                     neutral.empty() ? "_type_scan()" : "_type_scan(" + neutral + ")");
  out += R"cuda(
#define KS_LANES \
  __shared__ __align__(16) unsigned char _storage[256 * sizeof(_type_scan)]; \
  _type_scan* const _lanes = (_type_scan*)_storage; \
  const unsigned _t = threadIdx.x; \
  const ptrdiff_t _first = (ptrdiff_t)blockIdx.x * 2048 + (ptrdiff_t)_t * 8; \
  const int _mine = _n - _first >= 8 ? 8 : _n > _first ? (int)(_n - _first) : 0; \
  const int _threads = _n - (ptrdiff_t)blockIdx.x * 2048 >= 2048 \
                           ? 256 : (int)((_n - (ptrdiff_t)blockIdx.x * 2048 + 7) / 8);
)cuda";
  out += fmt::format(R"cuda(
// The total of each chunk: neighbours first, so that order is kept.
__global__ void {0}_totals(const _type_scan* _x, _type_scan* _totals, ptrdiff_t _n) {{
  KS_LANES
  if (_mine > 0) {{
    _type_scan _sum = _x[_first];
    for (int _k = 1; _k < _mine; ++_k) _sum = _scan(_sum, _x[_first + _k]);
    _lanes[_t] = _sum;
  }}
  __syncthreads();
  for (int _s = 1; _s < 256; _s <<= 1) {{
    if ((_t & (2 * _s - 1)) == 0 && (int)_t + _s < _threads)
      _lanes[_t] = _scan(_lanes[_t], _lanes[_t + _s]);
    __syncthreads();
  }}
  if (_t == 0) _totals[blockIdx.x] = _lanes[0];
}}
// Each chunk, with the total of those before it. An exclusive scan moves one place to the right.
__global__ void {0}(const _type_scan* _x, _type_scan* _y, const _type_scan* _before, ptrdiff_t _n,
                    int _is_exclusive, int _starts_neutral) {{
  KS_LANES
  _type_scan _v0 = _neutral(), _v1 = _v0, _v2 = _v0, _v3 = _v0, _v4 = _v0, _v5 = _v0, _v6 = _v0,
             _v7 = _v0;
#define KS_LOAD(k, previous) if (_mine > k) _v##k = _scan(_v##previous, _x[_first + k]);
  if (_mine > 0) {{
    _v0 = _x[_first];
    KS_LOAD(1, 0) KS_LOAD(2, 1) KS_LOAD(3, 2) KS_LOAD(4, 3)
    KS_LOAD(5, 4) KS_LOAD(6, 5) KS_LOAD(7, 6)
    _lanes[_t] = _mine > 7 ? _v7 : _mine > 6 ? _v6 : _mine > 5 ? _v5 : _mine > 4 ? _v4
               : _mine > 3 ? _v3 : _mine > 2 ? _v2 : _mine > 1 ? _v1 : _v0;
  }}
  __syncthreads();
  for (int _s = 1; _s < 256; _s <<= 1) {{
    _type_scan _sum = _neutral();
    if ((int)_t >= _s && (int)_t < _threads) _sum = _scan(_lanes[_t - _s], _lanes[_t]);
    __syncthreads();
    if ((int)_t >= _s && (int)_t < _threads) _lanes[_t] = _sum;
    __syncthreads();
  }}
  // What lies before this thread: the chunks before, then the threads before.
  const bool _has_chunks = blockIdx.x > 0, _has_threads = _t > 0 && _mine > 0;
  _type_scan _prefix = _neutral();
  if (_has_threads) _prefix = _lanes[_t - 1];
  if (_has_chunks) _prefix = _has_threads ? _scan(_before[blockIdx.x], _prefix) : _before[blockIdx.x];
  const bool _has_prefix = _has_chunks || _has_threads;
#define KS_FULL(k) (_has_prefix ? _scan(_prefix, _v##k) : _v##k)
  if (_is_exclusive) {{
    if (_mine > 0 && (_has_prefix || _starts_neutral)) _y[_first] = _prefix;
#define KS_STORE(k, previous) if (_mine > k) _y[_first + k] = KS_FULL(previous);
    KS_STORE(1, 0) KS_STORE(2, 1) KS_STORE(3, 2) KS_STORE(4, 3)
    KS_STORE(5, 4) KS_STORE(6, 5) KS_STORE(7, 6)
  }} else {{
#undef KS_STORE
#define KS_STORE(k) if (_mine > k) _y[_first + k] = KS_FULL(k);
    KS_STORE(0) KS_STORE(1) KS_STORE(2) KS_STORE(3) KS_STORE(4) KS_STORE(5) KS_STORE(6) KS_STORE(7)
  }}
}}
)cuda",
                     name);
  Program program;
  program.text = std::move(out);
  program.file = name;
  program.options = options.options;
  program.is_generated = !options.is_checked;  // the checker asks for its threads
  program.is_checked = options.is_checked;
  add_headers(program);
  return program;
}

const ScanLaunch& ScanKernel::State::launch_on(Device& device) {
  return launches.find_or(&device, [&] {
    ScanLaunch launch;
    launch.module = with_users_lines(options.locate, [&] { return compile(program(), device); });
    launch.totals = &launch.module->function(options.name + "_totals");
    launch.chunks = &launch.module->function(options.name);
    launch.size = launch.totals->info().params.empty()
                      ? type.size
                      : launch.totals->info().params[0].element_size;
    return launch;
  });
}

void ScanKernel::State::scan(const ScanLaunch& launch, const void* in, void* out, int64_t count,
                             bool is_exclusive, bool is_outermost, Device& device, Stream& stream) {
  const int64_t blocks = (count + chunk - 1) / chunk;
  LaunchShape shape;
  shape.block[0] = block;
  shape.grid[0] = static_cast<uint32_t>(blocks);
  Array before;  // y[c] of the chunks' totals
  void* before_memory = nullptr;
  if (blocks > 1) {
    const int64_t bytes = blocks * static_cast<int64_t>(launch.size);
    const Array totals = Array::empty({bytes}, Dtype::uint8, device);
    before = Array::empty({bytes}, Dtype::uint8, device);
    before_memory = before.data();
    PackedArguments packed;
    packed.add_value(in);
    packed.add_value(totals.data());
    packed.add_value(count);
    launch.totals->launch(shape, packed.pointers(), stream);
    scan(launch, totals.data(), before_memory, blocks, true, false, device, stream);
  }
  PackedArguments packed;
  packed.add_value(in);
  packed.add_value(out);
  packed.add_value(before_memory);
  packed.add_value(count);
  packed.add_value(static_cast<int32_t>(is_exclusive));
  packed.add_value(static_cast<int32_t>(is_outermost));
  launch.chunks->launch(shape, packed.pointers(), stream);
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
  Device* device = device_of(name, both);
  if (!device) device = stream ? &stream->device() : &default_device();
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
  state_->scan(launch, in.array.data, out.array.data, in.array.size(),
               state_->kind == ScanKind::exclusive, true, *device, *stream);
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
std::string ScanKernel::text() const { return state_->program().text; }

}  // namespace kasoku
