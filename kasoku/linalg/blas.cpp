#include "kasoku/linalg/blas.h"

#include "kasoku/linalg/provider.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace kasoku::linalg {
namespace {

std::mutex folders_mutex;
std::vector<std::string>& folders() {
  static std::vector<std::string>& folders = *new std::vector<std::string>;
  return folders;
}

}  // namespace

void add_search_folder(const std::string& folder) {
  std::lock_guard lock(folders_mutex);
  if (std::find(folders().begin(), folders().end(), folder) == folders().end())
    folders().push_back(folder);
}

const std::vector<std::string>& search_folders() { return folders(); }

bool take_functions(Blas& blas, void* library, const std::string& prefix,
                    const std::string& suffix) {
  const char letters[] = "sdcz";
  blas.library = library, blas.prefix = prefix, blas.suffix = suffix;
  for (int i = 0; i < 4; ++i) {
    blas.gemm[i] = dlsym(library, (prefix + "cblas_" + letters[i] + "gemm" + suffix).c_str());
    blas.gemv[i] = dlsym(library, (prefix + "cblas_" + letters[i] + "gemv" + suffix).c_str());
    if (!blas.gemm[i] || !blas.gemv[i]) return false;
  }
  return true;
}

bool is_loaded(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library) dlclose(library);
  return library;
}

std::string loaded_library(const std::string& part) {
  struct Search {
    const std::string& part;
    std::string found;
  } search{part, ""};
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        const char* slash = std::strrchr(library->dlpi_name, '/');
        if (!slash || !std::strstr(slash, search.part.c_str())) return 0;
        search.found = library->dlpi_name;
        return 1;
      },
      &search);
  return search.found;
}

namespace {

struct Found {
  Blas blas;
  bool is_there = false;
  std::string missing;

  Found() {
    // What another package brought comes first where it is tuned to the machine by
    // its maker; then ours; then what the system has.
    is_there = find_mkl(blas, true) || find_openblas(blas, false) || find_mkl(blas, false);
    if (!is_there)
      missing =
          "no BLAS library is installed: pip install scipy-openblas64, or apt install libopenblas0";
  }
};

const Found& found() {
  static const Found& found = *new Found;
  return found;
}

std::mutex& threads_mutex() {
  static std::mutex& mutex = *new std::mutex;
  static const int registered = pthread_atfork([] { threads_mutex().lock(); }, [] { threads_mutex().unlock(); }, [] { threads_mutex().unlock(); });
  (void)registered;
  return mutex;
}
int raised = 0;  // those who want more threads than one of a library that is ours

}  // namespace

LibraryThreads::LibraryThreads(const Blas& blas, uint32_t n)
    : blas_(blas), has_raised_(n > 1 && blas.set_threads), own_before_(blas.set_own_threads ? blas.set_own_threads(static_cast<int>(n)) : 0) {
  if (!has_raised_) return;
  const std::lock_guard lock(threads_mutex());
  if (raised++ == 0) blas_.set_threads(static_cast<int>(n));
}

LibraryThreads::~LibraryThreads() {
  if (blas_.set_own_threads) blas_.set_own_threads(own_before_);
  if (!has_raised_) return;
  const std::lock_guard lock(threads_mutex());
  if (--raised == 0) blas_.set_threads(1);
}

const Blas* blas() { return found().is_there ? &found().blas : nullptr; }
const std::string& blas_missing() { return found().missing; }

}  // namespace kasoku::linalg
