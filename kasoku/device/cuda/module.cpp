#include "kasoku/device/cuda/module.h"

#include "kasoku/device/cuda/stream.h"

#include <fmt/format.h>

namespace kasoku::cuda {

std::shared_ptr<Module> CudaDevice::load(Code code) {
  return std::make_shared<CudaModule>(*this, std::move(code));
}

CudaModule::CudaModule(CudaDevice& device, Code code) : Module(std::move(code)), device_(device) {
  ContextScope scope(device);
  char log[8192] = {};
  int options[] = {5, 6};  // error log buffer, its size
  void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
  // CUDA drops launches by kernels beyond a number of pending ones, 2048 if nobody says more, and
  // tells only the kernel, which seldom asks.
  constexpr int pending_launches = 4;
  if (code_.bytes.find("cudaCDP2") != std::string::npos && device.driver().cuCtxSetLimit)
    device.driver().cuCtxSetLimit(pending_launches, 1 << 17);
  const CUresult result =
      device.driver().cuModuleLoadDataEx(&module_, code_.bytes.data(), 2, options, values);
  // vprintf is what printf becomes, in PTX and in machine code's table of names.
  if (result == success && code_.bytes.find("vprintf") != std::string::npos)
    device.has_prints = true;
  // The image is in the module now; two copies would serve nobody.
  if (result == success) {
    code_.bytes = {};
    return;
  }
  Error error = failure(result, "load a module on " + device.str());
  if (result == no_binary_for_gpu)
    error.why(fmt::format("the code was compiled for another GPU than {} ({})",
                          device.properties().name, device.properties().architecture));
  if (log[0]) error.why(log);
  throw error;
}

CudaModule::~CudaModule() {
  try {
    ContextScope scope(device_);
    device_.driver().cuCtxSynchronize();  // a kernel of it may still run
    device_.driver().cuModuleUnload(module_);
  } catch (const Error&) {
    // After a fork or a fault it is gone already.
  }
}

KernelInfo CudaModule::kernel_info(std::string_view name, CUfunction* function) {
  // Code that came without its text (PTX or machine code from a file) can still
  // be asked by symbol.
  if (code_.info.kernels.empty()) {
    const std::string symbol(name);
    if (device_.driver().cuModuleGetFunction(function, module_, symbol.c_str()) == success) {
      KernelInfo info;
      info.name = info.symbol = symbol;
      info.params_known = false;
      if (const auto ask = device_.driver().cuFuncGetParamInfo) {
        size_t offset = 0, size = 0;
        for (size_t i = 0; ask(*function, i, &offset, &size) == success; ++i) {
          ParamInfo param;
          param.size = static_cast<uint32_t>(size);
          param.kind = ParamKind::record;
          info.params.push_back(param);
        }
      }
      return info;
    }
  }
  const KernelInfo& info = find_kernel(code_.info, name);
  check(device_.driver().cuModuleGetFunction(function, module_, info.symbol.c_str()),
        [&] { return fmt::format("find kernel '{}' on {}", info.name, device_.str()); });
  return info;
}

Function& CudaModule::function(std::string_view name) {
  std::lock_guard lock(mutex_);
  if (const auto found = functions_.find(name); found != functions_.end()) return *found->second;
  ContextScope scope(device_);
  CUfunction function = nullptr;
  KernelInfo info = kernel_info(name, &function);
  auto& made = functions_[info.symbol];
  if (!made) made = std::make_unique<CudaFunction>(*this, std::move(info), function);
  return *made;
}

GlobalMemory CudaModule::global(std::string_view name) {
  ContextScope scope(device_);
  CUdeviceptr memory = 0;
  size_t bytes = 0;
  const bool is_known = !code_.info.globals.empty();
  const std::string symbol = is_known ? find_global(code_.info, name).symbol : std::string(name);
  const CUresult result =
      device_.driver().cuModuleGetGlobal(&memory, &bytes, module_, symbol.c_str());
  if (result == not_found) {
    Error error(ErrorKind::value, fmt::format("the module has no global variable '{}'", name));
    if (is_known) error.why("the compiler removed it: no kernel uses it");
    throw error;
  }
  check(result, [&] { return fmt::format("find the variable '{}' on {}", name, device_.str()); });
  return {reinterpret_cast<void*>(memory), bytes};
}

}  // namespace kasoku::cuda
