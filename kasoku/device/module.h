/// \file kasoku/device/module.h
/// Loaded code: kernels that can be launched, globals that can be written.
#pragma once

#include "kasoku/base/error.h"
#include "kasoku/device/code.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kasoku {

class Device;
struct DeviceProperties;
class Module;
class Stream;

/// CUDA's sense: blocks of a grid, threads of a block.
struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;  ///< dynamic shared memory
  bool cooperative = false;
  /// Its blocks may begin while those of the launch before it end: the text itself waits for what that one stores, as
  /// ks_wait_for_launches() of codegen/helpers.def does.
  bool begins_early = false;

  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint64_t threads() const { return uint64_t{block[0]} * block[1] * block[2]; }
};

class Function {
 public:
  virtual ~Function() = default;
  virtual const KernelInfo& info() const = 0;
  virtual Module& module() = 0;

  /// `args[i]` points to the value of parameter i (for a pointer parameter: to
  /// the pointer), as cuLaunchKernel takes them. The caller has checked them; the
  /// shape is checked here (a block of 2000 threads, too much shared memory).
  /// Values may be gone on return. A launch with an empty grid does nothing.
  virtual void launch(const LaunchShape& shape, void* const* args, Stream& stream) = 0;
  /// Makes ready now what a first launch with blocks of this shape would wait for.
  virtual void prepare(const LaunchShape&) {}

  /// A launch of one block of one thread, of a text of ours that ends soon: what arrays of few elements and compiled
  /// functions without loops are computed by.
  virtual void launch_one(void* const* args, Stream& stream) { launch({}, args, stream); }
  /// Launches `n` times. Before launch `i`, `next` sets what `args` point to, or says that there are no more launches.
  using NextArgs = bool (*)(void* const* args, size_t i);
  virtual void launch_each(void* const* args, size_t n, NextArgs next, Stream& stream) {
    for (size_t i = 0; i < n && next(args, i); ++i) launch_one(args, stream);
  }

  /// CUDA's function attributes by their lower-case name ("num_regs",
  /// "shared_size_bytes", "max_threads_per_block", "local_size_bytes",
  /// "const_size_bytes", "max_dynamic_shared_size_bytes", "ptx_version", "binary_version").
  virtual int64_t attribute(std::string_view name) = 0;
  virtual void set_attribute(std::string_view name, int64_t value) = 0;

  /// How many blocks of so many threads run at once: a cooperative launch has at most these.
  virtual uint64_t blocks_at_once(uint64_t threads, uint32_t shared_bytes) = 0;

  /// A good number of threads per block for a one-dimensional launch.
  virtual uint32_t suggested_block() = 0;
};

struct GlobalMemory {
  void* memory;  ///< on the module's device
  uint64_t bytes;
};

class Module {
 public:
  virtual ~Module() = default;
  virtual Device& device() = 0;
  const ModuleInfo& info() const { return code_.info; }

  /// By source name, name expression or symbol. An unknown name is an error
  /// that lists those that exist. The reference lives as long as the module.
  virtual Function& function(std::string_view name) = 0;
  virtual GlobalMemory global(std::string_view name) = 0;

 protected:
  explicit Module(Code code) : code_(std::move(code)) {}
  Code code_;
};

/// A kernel whose own shared arrays take more than `most`, all that a block has of such.
Error too_much_shared_memory(std::string_view kernel, uint64_t declared, uint64_t most);

/// Throws what is wrong with a launch of `kernel` in this shape: the same sentence for every
/// device. `most_threads` are those of a block that the kernel's code allows, `why_threads`
/// what it is that allows no more. Dynamic shared memory needs no opting in.
void check_launch(const KernelInfo& kernel, const LaunchShape& shape, const DeviceProperties& limits,
                  uint64_t most_threads, std::string_view why_threads, uint64_t own_shared_bytes);

/// The kernel of `info` that `name` means, or an error that lists what exists.
const KernelInfo& find_kernel(const ModuleInfo& info, std::string_view name);
const GlobalInfo& find_global(const ModuleInfo& info, std::string_view name);

}  // namespace kasoku
