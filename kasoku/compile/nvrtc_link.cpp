#include "kasoku/compile/nvrtc_link.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/nvrtc_library.h"
#include "kasoku/device/cuda/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace kasoku {
namespace {

using Handle = struct nvJitLink*;

struct Linker {
  int (*create)(Handle*, uint32_t n_options, const char** options);
  int (*destroy)(Handle*);
  int (*add_data)(Handle, int kind, const void* data, size_t size, const char* name);
  int (*add_file)(Handle, int kind, const char* file);
  int (*complete)(Handle);
  int (*size)(Handle, size_t*);
  int (*code)(Handle, void*);
  int (*log_size)(Handle, size_t*);
  int (*log)(Handle, char*);
};
enum Kind { cubin = 1, ptx = 2, library = 6 };  // nvJitLinkInputType

constexpr const char* what = "kernels that launch kernels cannot be compiled for CUDA";

/// That of NVRTC's version first: a toolkit's folder, then a wheel's neighbour, then wherever one is.
std::string runtime_file() {
  const std::filesystem::path folder = std::filesystem::path(nvrtc_library_file()).parent_path();
  for (const auto& near : {folder / "libcudadevrt.a", folder.parent_path().parent_path() / "cuda_runtime/lib/libcudadevrt.a"})
    if (std::error_code ignored; std::filesystem::exists(near, ignored)) return near.string();
  return cuda::find_library({"libcudadevrt.a"});
}

const Linker& load() {
  static const Linker& linker = []() -> const Linker& {
    const int major = nvrtc_library().major;
    const std::string wanted = fmt::format("libnvJitLink.so.{}", major);
    const cuda::Library library({what, "nvJitLink", wanted.c_str(), "pip install nvidia-nvjitlink, or CUDA_HOME=/path/to/cuda"}, cuda::find_library({wanted}));
    auto& found = *new Linker;
    const auto find = [&](auto& function, const std::string& name) {
      void* address = dlsym(library.handle, ("nvJitLink" + name).c_str());
      // CUDA 12's first ones bear their version.
      for (int minor = 0; !address && minor < 10; ++minor)
        address = dlsym(library.handle, fmt::format("__nvJitLink{}_{}_{}", name, major, minor).c_str());
      function = reinterpret_cast<std::decay_t<decltype(function)>>(address ? address : library.address("nvJitLink" + name));
    };
    find(found.create, "Create");
    find(found.destroy, "Destroy");
    find(found.add_data, "AddData");
    find(found.add_file, "AddFile");
    find(found.complete, "Complete");
    find(found.size, "GetLinkedCubinSize");
    find(found.code, "GetLinkedCubin");
    find(found.log_size, "GetErrorLogSize");
    find(found.log, "GetErrorLog");
    return found;
  }();
  return linker;
}

struct Link {
  const Linker& linker;
  Handle handle = nullptr;
  ~Link() {
    if (handle) linker.destroy(&handle);
  }
  void check(int result, const char* step) const {
    if (!result) return;
    Error error(ErrorKind::compile, fmt::format("CUDA's device runtime cannot be linked: nvJitLink failed to {} ({})", step, result));
    size_t size = 0;
    if (handle && !linker.log_size(handle, &size) && size > 1) {
      std::string log(size, '\0');
      if (!linker.log(handle, log.data())) error.why(log.c_str());
    }
    throw error;
  }
};

}  // namespace

bool launches_kernels(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) at = std::min(text.find('\n', at), text.size());
    else if (rest.starts_with("/*")) at = std::min(text.find("*/", at + 2), text.size() - 1) + 1;
    else if (rest[0] == '"') while (++at < text.size() && text[at] != '"' && text[at] != '\n') at += text[at] == '\\';
    else if (rest.starts_with("<<<")) return true;
  }
  return false;
}

std::string link_device_runtime(const std::string& code, const std::string& architecture) {
  const std::string runtime = runtime_file();
  if (runtime.empty())
    throw Error(ErrorKind::unsupported, std::string(what) + ": CUDA's device runtime is not installed")
        .why("libcudadevrt.a is in no folder of the system, a CUDA toolkit or Python's packages")
        .fix("pip install nvidia-cuda-runtime, or CUDA_HOME=/path/to/cuda");
  Link link{load()};
  const std::string target = "-arch=" + architecture;
  const char* options[] = {target.c_str()};
  link.check(link.linker.create(&link.handle, 1, options), "begin");
  const bool is_machine_code = code.starts_with("\x7f" "ELF");
  // PTX ends with a zero.
  link.check(link.linker.add_data(link.handle, is_machine_code ? cubin : ptx, code.c_str(), code.size() + !is_machine_code, "kernels"),
             "take the kernels");
  link.check(link.linker.add_file(link.handle, library, runtime.c_str()), "take libcudadevrt.a");
  link.check(link.linker.complete(link.handle), "link");
  size_t size = 0;
  link.check(link.linker.size(link.handle, &size), "give its code");
  std::string linked(size, '\0');
  link.check(link.linker.code(link.handle, linked.data()), "give its code");
  return linked;
}

}  // namespace kasoku
