/// \file kasoku/device/kept_memory.h
/// What a recording reads and writes stays where it is.
#pragma once

#include "kasoku/device/module.h"

#include <cstddef>
#include <memory>

namespace kasoku {

class Buffer;
class Device;
class Stream;

/// The memory of a recording: it stays while the recording lives, though its buffers go.
class KeptMemory {
 public:
  explicit KeptMemory(Device& device);
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// Keeps memory in which the address lies, whoever has it now.
  void add(const void* address);
  /// Whatever may be an address among a launch's arguments.
  void add(const KernelInfo& kernel, void* const* args);
  /// A buffer whose work goes from stream to stream.
  void add(Buffer& buffer);
  /// The recording is about to run there.
  void use_on(Stream& stream);

  /// The owner of memory that a recording keeps is gone. False: none does.
  static bool take(Device& device, void* memory, size_t bytes, std::shared_ptr<void> owner);
  static void forget(Buffer& buffer);
  /// Whether a recording that lives reads or writes there.
  static bool keeps(const Buffer& buffer);
  static bool is_any_alive();

 private:
  struct All;
  struct Own;
  const std::unique_ptr<Own> own_;
};

}  // namespace kasoku
