#include "kasoku/device/cuda/libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

namespace kasoku::cuda {
namespace {

namespace fs = std::filesystem;

std::mutex folders_mutex;
std::vector<std::string>& given_folders() {
  static std::vector<std::string> folders;
  return folders;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    found.push_back(it->path());
  std::sort(found.rbegin(), found.rend());  // cuda-13.0 before cuda-12.4
  return found;
}

/// Roots of toolkits: what the user says, then the usual places.
std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char* value = std::getenv(name); value && *value) roots.emplace_back(value);
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& path : children("/usr/local"))
    if (path.filename().string().starts_with("cuda-")) roots.push_back(path);
  for (const char* path : {"/opt/cuda", "/usr/lib/cuda"}) roots.emplace_back(path);
  if (const char* conda = std::getenv("CONDA_PREFIX")) {
    roots.emplace_back(conda);
    roots.emplace_back(fs::path(conda) / "targets/x86_64-linux");
  }
  return roots;
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  {
    std::lock_guard lock(folders_mutex);
    for (const std::string& given : given_folders()) {
      folders.emplace_back(given);
      for (const fs::path& wheel : children(fs::path(given) / "nvidia"))
        folders.push_back(wheel / "lib");
    }
  }
  for (const fs::path& root : toolkit_roots())
    for (const char* below : {"lib64", "targets/x86_64-linux/lib", "lib"})
      folders.push_back(root / below);
  for (const char* path : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib"})
    folders.emplace_back(path);
  return folders;
}

}  // namespace

void add_search_folder(const std::string& folder) {
  std::lock_guard lock(folders_mutex);
  auto& folders = given_folders();
  if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
    folders.push_back(folder);
}

std::string find_library(std::initializer_list<std::string_view> names) {
  const std::vector<fs::path> folders = library_folders();
  for (const std::string_view name : names) {
    for (const fs::path& folder : folders) {
      const fs::path path = folder / name;
      std::error_code error;
      if (is_there(path)) {
        const fs::path real = fs::canonical(path, error);
        return error ? path.string() : real.string();
      }
    }
    // Known to the dynamic linker alone, or loaded already by another package.
    if (void* library = dlopen(std::string(name).c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
      dlclose(library);
      return std::string(name);
    }
  }
  return "";
}

Library::Library(const LibraryWords& words, std::string file) : words_(words), file_(std::move(file)) {
  if (file_.empty()) throw refusal("is not installed", std::string(words_.files) + " is in no folder of the system, a CUDA toolkit or Python's packages");
  handle = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw refusal("does not load", dlerror());
}

void* Library::address(const std::string& name) const {
  void* const found = dlsym(handle, name.c_str());
  if (!found) throw refusal("is too old", file_ + " has no " + name);
  return found;
}

Error Library::refusal(const std::string& what, const std::string& why) const {
  return Error(ErrorKind::unsupported, std::string(words_.refused) + ": " + words_.name + " " + what).why(why).fix(words_.how_to_install);
}

std::string find_headers(const std::string& library) {
  std::vector<fs::path> folders;
  // A toolkit: <root>/lib64/libnvrtc.so.13, <root>/targets/x86_64-linux/lib/…. A wheel:
  // nvidia/cu13/lib beside nvidia/cu13/include, or nvidia/cuda_nvrtc/lib beside
  // nvidia/cuda_runtime/include.
  if (!library.empty() && library[0] == '/') {
    const fs::path root = fs::path(library).parent_path().parent_path();
    folders.push_back(root / "include");
    folders.push_back(root.parent_path() / "cuda_runtime/include");
  }
  {
    std::lock_guard lock(folders_mutex);
    for (const std::string& given : given_folders())
      for (const fs::path& wheel : children(fs::path(given) / "nvidia"))
        folders.push_back(wheel / "include");
  }
  for (const fs::path& root : toolkit_roots()) folders.push_back(root / "include");
  folders.emplace_back("/usr/include");
  // Wheels may lack the C++ library, which half of the others include; a folder that is
  // complete goes before the one that is nearest.
  const fs::path* nearest = nullptr;
  for (const fs::path& folder : folders) {
    if (!is_there(folder / "cuda_fp16.h")) continue;
    if (is_there(folder / "nv/target") || is_there(folder / "cccl/nv/target"))
      return folder.string();
    if (!nearest) nearest = &folder;
  }
  return nearest ? nearest->string() : "";
}

std::vector<std::string> neighbours_of_headers(const std::string& folder) {
  std::vector<std::string> found;
  const fs::path wheels =
      fs::path(folder).parent_path().parent_path();  // nvidia/cuda_runtime/include
  if (wheels.filename() != "nvidia") return found;
  for (const fs::path& wheel : children(wheels))
    if (const fs::path other = wheel / "include"; is_there(other) && other != folder)
      found.push_back(other.string());
  return found;
}

}  // namespace kasoku::cuda
