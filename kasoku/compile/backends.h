/// \file kasoku/compile/backends.h
/// THE table of backends: which devices there are and who compiles for them.
#pragma once

#include "kasoku/device/device.h"

#include <span>
#include <string_view>

namespace kasoku {

class Compiler;

/// All devices of this machine, cpu first. KASOKU_DEVICE does not change it.
std::span<Device* const> devices();

/// "cpu", "cuda", "cuda:1", "null". An error says what is missing if there is none.
Device& device(std::string_view name);

/// Whether device(name) would succeed; loads the driver to find out.
bool has_device(std::string_view name);

/// The device in whose memory the address lies: the CPU, if no other device says that the memory is its own.
Device& device_that_holds(const void* memory);

/// KASOKU_DEVICE, else cpu; the innermost DefaultDeviceScope of this thread goes first.
Device& default_device();
/// For all threads that have no scope. Returns what it was.
Device& set_default_device(Device& device);

class DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(Device& device);
  ~DefaultDeviceScope();

 private:
  Device* previous_;
};

/// The compiler whose code `device` loads.
Compiler& compiler_for(Device& device);

}  // namespace kasoku
