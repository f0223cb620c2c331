/// \file kasoku/kernel/raw_module.h
/// CUDA C++ text as users write it: kernels by name, globals, on any device.
///
///   RawModule module("__global__ void add(int n, float *y, const float *x) { … }");
///   RawKernel add = module.kernel("add");
///   add({.grid = {(n + 255) / 256}, .block = {256}}, {n, y, x});
#pragma once

#include "kasoku/compile/compile.h"
#include "kasoku/kernel/arguments.h"
#include "kasoku/kernel/locate.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace kasoku {

class RawKernel;

/// A value; copies share what was compiled.
class RawModule {
 public:
  struct Options {
    std::vector<std::string> options;  ///< as for NVRTC: -D -I -std=c++17 --use_fast_math …
    std::vector<std::string> name_expressions;
    std::vector<std::string> include_dirs;
    std::string file = "kernel.cu";    ///< the text's name in messages
    Locator locate;                    ///< leads messages to the user's own file
  };

  /// Compiles nothing yet.
  explicit RawModule(std::string text, Options options);
  explicit RawModule(std::string text);

  const Program& program() const;
  const Locator& locate() const;

  /// The module compiled for `device`; the first call compiles. Throws ErrorKind::compile.
  Module& on(Device& device) const;

  /// The kernel with a source name, name expression or symbol. Whether it exists is known
  /// when it is compiled: at the first launch, or by on(device).function(name).
  RawKernel kernel(std::string name) const;

 private:
  friend class RawKernel;
  struct State;
  std::shared_ptr<State> state_;
};

class RawKernel {
 public:
  const std::string& name() const { return name_; }
  const RawModule& module() const { return module_; }

  /// The same kernel for launches whose arguments do not say where: on `device`. `of_pycuda`: its programs pass addresses, and
  /// floats to kernels that declare integers of their size.
  RawKernel at_home_on(Device& device, bool of_pycuda = false) const;
  /// The device for a launch: that of its arrays, else the stream's, else the kernel's home, else the default.
  Device& device_for(std::span<const Argument> args, Stream* stream = nullptr) const;
  bool is_of_pycuda() const { return is_of_pycuda_; }
  /// Ignores arguments behind the declared ones from now on, as CUDA's driver does.
  void leave_more_alone() { leaves_more_ = true; }

  /// The compiled kernel on `device`.
  Function& on(Device& device) const;

  /// Checks the arguments against the declaration and launches on device_for(args, stream), on
  /// `stream` or that device's current one.
  ///
  /// Without a shape there is one thread for each element of the largest array, in one
  /// dimension; without any array that is an error.
  void operator()(const std::optional<LaunchShape>& shape, std::span<const Argument> args,
                  Stream* stream = nullptr) const;
  void operator()(const std::optional<LaunchShape>& shape,
                  std::initializer_list<Argument> args) const {
    (*this)(shape, std::span<const Argument>(args.begin(), args.size()));
  }

 private:
  friend class RawModule;
  RawKernel(RawModule module, std::string name);
  struct Cache;
  RawModule module_;
  std::string name_;
  Device* home_ = nullptr;
  bool is_of_pycuda_ = false, leaves_more_ = false;
  std::shared_ptr<Cache> cache_;
};

/// Called before each launch of a user's kernel; null for nobody. The checker, which stands above this
/// folder, puts itself here. What it throws stops the launch.
using LaunchInspector = void (*)(const RawKernel& kernel, const LaunchShape& shape,
                                 std::span<const Argument> args);
void set_launch_inspector(LaunchInspector inspector);

}  // namespace kasoku
