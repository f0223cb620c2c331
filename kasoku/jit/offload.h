/// \file kasoku/jit/offload.h
/// What a host program whose arrays lie on a device calls: launches of its kernels, array
/// expressions, copies of single elements. Array expressions become a graph of kasoku/array, which
/// its planner fuses and runs.
#pragma once

#include "kasoku/device/buffer.h"
#include "kasoku/device/module.h"
#include "kasoku/jit/runtime.h"

#include <memory>
#include <span>

namespace kasoku::jit {

/// Device memory as compiled code holds it; count 1. It ends by release().
Memory* hold(std::shared_ptr<Buffer> buffer);
/// Ends a memory whose count is 0.
void release_buffer(Memory* memory);
/// The buffer behind it.
const std::shared_ptr<Buffer>& buffer_of(const Memory* memory);

/// Device memory in which kernels describe their first failure (ks_call of ks_jit.h).
class DeviceFailure {
 public:
  /// `words`: of the call, for kernels that read its arguments there.
  DeviceFailure(Device& device, Stream& stream, std::span<const uint64_t> words = {});
  void* address() const { return buffer_->memory(); }
  /// Waits for the kernels in the stream, and takes over what the first failure said.
  void read(CallRecord& record) const;

 private:
  Device& device_;
  Stream& stream_;
  std::shared_ptr<Buffer> buffer_;
};

/// One call of such a host program, on the calling thread, while it lives.
class OffloadCall {
 public:
  OffloadCall(CallRecord& record, Device& device, std::span<kasoku::Function* const> kernels, int n_words);
  ~OffloadCall();
  OffloadCall(const OffloadCall&) = delete;
  OffloadCall& operator=(const OffloadCall&) = delete;

  /// Waits for the kernels and takes over what the first failure said, when the host program is over.
  void finish();

  struct State;

 private:
  std::unique_ptr<State> state_;
};

/// Makes the functions known to generated code; once.
void register_offload_functions();

}  // namespace kasoku::jit
