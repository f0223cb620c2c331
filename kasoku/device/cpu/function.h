/// \file kasoku/device/cpu/function.h
/// A kernel on the processor: machine code per block shape, and launches.
#pragma once

#include "kasoku/device/cpu/globals.h"
#include "kasoku/device/cpu/launch.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/device/module.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace kasoku::cpu {

/// Machine code for one block shape, loaded.
struct Variant {
  uint32_t block[3];  ///< zeros: any shape
  KernelEntry entry;
  uint64_t scratch_bytes, scratch_bytes_per_thread, static_shared_bytes;
  bool spans_blocks, waits_in_memory;
};

/// Makes the code for a block shape: compiles or takes it from the cache, and loads it.
using VariantMaker = std::function<Variant(const KernelInfo&, const uint32_t block[3])>;

class CpuFunction final : public Function {
 public:
  CpuFunction(Module& module, const Globals& globals, const KernelInfo& info, const VariantMaker& make_variant);

  const KernelInfo& info() const override { return info_; }
  Module& module() override { return module_; }
  void launch(const LaunchShape& shape, void* const* args, Stream& stream) override;
  void launch_one(void* const* args, Stream& stream) override;
  void launch_each(void* const* args, size_t n, NextArgs next, Stream& stream) override;
  void prepare(const LaunchShape& shape) override { (void)variant(shape.block); }
  /// Throws what is wrong with a launch in this shape.
  void check(const LaunchShape& shape) const;
  /// Runs the blocks, and gives what they asked for; mostly null.
  std::unique_ptr<ChildWork> run_grid(const LaunchShape& shape, void* const* args);
  int64_t attribute(std::string_view name) override;
  void set_attribute(std::string_view name, int64_t value) override;
  uint64_t blocks_at_once(uint64_t threads, uint32_t shared_bytes) override;
  uint32_t suggested_block() override;

 private:
  struct Work;

  const Variant& variant(const uint32_t block[3]);
  const Variant& add_variant(const uint32_t block[3]);
  KernelEntry entry_alone() const;
  void launch_watched(void* const* args, Stream& stream);
  void run_alone(KernelEntry entry, void* const* args, uint64_t n);
  void run(Work& work, uint64_t blocks);
  void run_cooperative(Work& work, uint64_t blocks);
  void run_on_threads(Work& work, uint64_t blocks, uint64_t at_once);
  [[noreturn]] void fail(const std::string& failure) const;

  /// A kernel gets code of its own for this many block shapes, then code for any.
  static constexpr size_t most_shapes = 8;

  Module& module_;
  const Globals& globals_;
  const KernelInfo& info_;
  const VariantMaker& make_variant_;
  const char* const last_name_;  ///< as note_kernel() takes it; nullptr for kernels of ours
  std::atomic<uint32_t> max_dynamic_shared_;
  /// Time-stamp ticks that a block took lately; decides whether a launch is worth
  /// the other workers.
  std::atomic<uint64_t> ticks_per_block_{0};

  std::array<std::atomic<const Variant*>, most_shapes> variants_{};
  std::atomic<const Variant*> any_shape_{nullptr};
  std::atomic<KernelEntry> one_thread_{
      nullptr};       ///< code for one that needs no memory; null: not known, or there is none
  std::mutex mutex_;  ///< of additions to the two above
  std::vector<std::unique_ptr<const Variant>> owned_;
};

}  // namespace kasoku::cpu
