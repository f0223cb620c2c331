#include "kasoku/linalg/cusolver.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/cuda/libraries.h"
#include "kasoku/device/stream.h"
#include "kasoku/linalg/blas.h"
#include "kasoku/linalg/cublas.h"
#include "kasoku/linalg/cublas_library.h"
#include "kasoku/linalg/temporary.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kasoku::linalg {
namespace {

constexpr cuda::LibraryWords words{"matrices have no factors on CUDA", "cuSOLVER", "libcusolver.so.12 or .11", "pip install nvidia-cusolver, or CUDA_HOME=/path/to/cuda"};

const std::string& library_file() {
  static const std::string& file = *new std::string([] {
    if (std::string loaded = loaded_library("libcusolver.so"); !loaded.empty()) return loaded;
    const int driver = std::atoi(cuda_driver_version().c_str());
    if (driver == 11 || driver == 12) return cuda::find_library({"libcusolver.so.11"});
    return cuda::find_library({"libcusolver.so.12", "libcusolver.so.11"});
  }());
  return file;
}

void* library() {
  static void* const loaded = [] {
    const std::string& file = library_file();
    if (!file.empty()) cublas_library();  // which it needs: the one that products have
    return cuda::Library(words, file).handle;
  }();
  return loaded;
}

template <class... A>
int call_by_name(void* from, const std::string& name, A... args) {
  void* const function = dlsym(from, name.c_str());
  if (!function) throw Error(ErrorKind::unsupported, "cuSOLVER or cuBLAS is too old").why("it has no " + name).fix(words.how_to_install);
  return reinterpret_cast<int (*)(A...)>(function)(args...);
}

void check(int status, const std::string& what) {
  if (status) throw Error(status == 2 ? ErrorKind::memory : ErrorKind::device, "cuSOLVER could not run " + what).why(status == 2 ? "the device has too little memory" : "status " + std::to_string(status));
}

/// A handle serves one stream; who uses it holds its mutex.
struct Handle {
  std::mutex mutex;
  void *solver = nullptr, *parameters = nullptr, *eigen_steps = nullptr, *singular_steps = nullptr;
};

Handle& handle_for(Stream& stream) {
  static std::mutex& mutex = *new std::mutex;
  static auto& handles = *new std::map<uintptr_t, Handle>;
  std::lock_guard lock(mutex);
  Handle& found = handles[stream.handle()];
  if (!found.solver) {
    check(call_by_name(library(), "cusolverDnCreate", &found.solver), "at all");
    check(call_by_name(library(), "cusolverDnSetStream", found.solver, reinterpret_cast<void*>(stream.handle())), "in a stream");
    check(call_by_name(library(), "cusolverDnCreateParams", &found.parameters), "at all");
    check(call_by_name(library(), "cusolverDnCreateSyevjInfo", &found.eigen_steps), "at all");
    check(call_by_name(library(), "cusolverDnCreateGesvdjInfo", &found.singular_steps), "at all");
  }
  return found;
}

enum { not_transposed = 0, transposed = 1, lower = 0, upper = 1, no_vectors = 0, vectors = 1 };

/// The stack of one problem. Its matrices in C order are transposes to the libraries.
class Stack {
 public:
  Stack(const Factors& p, Device& device, Stream& stream)
      : p_(p), device_(device), stream_(stream), handle_(handle_for(stream)), lock_(handle_.mutex),
        is_complex_(info(p.dtype).kind == DtypeKind::complex_), is_wide_(p.dtype == Dtype::float64 || p.dtype == Dtype::complex128),
        spare_(device, stream, sizeof(int32_t)) {}

  void run() {
    switch (p_.factor) {
      case Factor::lu: return lu(at<int32_t>(1));
      case Factor::solve: return solve();
      case Factor::cholesky: return cholesky();
      case Factor::qr: return qr();
      case Factor::eigh:
      case Factor::eigvalsh: return eigh(p_.factor == Factor::eigh ? vectors : no_vectors);
      case Factor::svd:
      case Factor::svdvals: return svd();
      case Factor::eig:
      case Factor::eigvals: return eig();
      case Factor::inverse:
      case Factor::det:
      case Factor::slogdet:
      case Factor::lstsq: break;  // has() says no
    }
    throw Error(ErrorKind::internal, "cuSOLVER was asked for what it lacks");
  }

 private:
  /// Few rows and many of them: one call for all is faster than a call each.
  bool is_batched(int64_t rows) const { return p_.items > 1 && p_.n <= rows; }

  void lu(int32_t* pivots) {
    const int n = as_int(p_.n);
    if (is_batched(256)) {
      const Temporary a = pointers(p_.operands[0], p_.n * p_.n);
      return blas("getrfBatched", n, a.data, n, pivots, p_.status, as_int(p_.items));
    }
    int words = 0;
    solver("getrf_bufferSize", n, n, p_.operands[0], n, &words);
    const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
    for (int64_t i = 0; i < p_.items; ++i) solver("getrf", n, n, element(0, i * p_.n * p_.n), n, work.data, pivots + i * p_.n, p_.status + i);
  }

  void solve() {
    const int n = as_int(p_.n), k = as_int(p_.k);
    const Temporary pivots(device_, stream_, static_cast<size_t>(p_.items * p_.n) * sizeof(int32_t));
    auto* const order = static_cast<int32_t*>(pivots.data);
    lu(order);
    if (is_batched(256)) {
      const Temporary a = pointers(p_.operands[0], p_.n * p_.n), x = pointers(p_.operands[1], p_.n * p_.k);
      int wrong = 0;
      return blas("getrsBatched", static_cast<int>(not_transposed), n, k, a.data, n, order, x.data, n, &wrong, as_int(p_.items));
    }
    constexpr int64_t many_sides = 64;
    if (p_.k >= many_sides && p_.n <= most_exchanged) return solve_many(order);
    for (int64_t i = 0; i < p_.items; ++i)
      solver("getrs", static_cast<int>(not_transposed), n, k, element(0, i * p_.n * p_.n), n, order + i * p_.n, element(1, i * p_.n * p_.k), n, spare());
  }

  /// By the triangles: getrs exchanges the elements of many right sides one after the other, which takes as long as all else.
  void solve_many(const int32_t* order) {
    constexpr int left = 0, unit = 1;
    const int n = as_int(p_.n), k = as_int(p_.k);
    const double wide_one[] = {1, 0};
    const float narrow_one[] = {1, 0};
    const void* const one = is_wide_ ? static_cast<const void*>(wide_one) : narrow_one;
    const Temporary given(device_, stream_, static_cast<size_t>(p_.n * p_.k) * size());
    for (int64_t i = 0; i < p_.items; ++i) {
      void *const a = element(0, i * p_.n * p_.n), *const x = element(1, i * p_.n * p_.k);
      device_.copy(given.data, x, given.bytes, stream_);
      kernel_exchange(x, given.data, order + i * p_.n, n, p_.k, size(), device_, stream_);
      blas("trsm_v2", left, static_cast<int>(lower), static_cast<int>(not_transposed), unit, n, k, one, a, n, x, n);
      blas("trsm_v2", left, static_cast<int>(upper), static_cast<int>(not_transposed), 1 - unit, n, k, one, a, n, x, n);
    }
  }

  void cholesky() {
    const int n = as_int(p_.n);
    if (is_batched(256)) {
      const Temporary a = pointers(p_.operands[0], p_.n * p_.n);
      return solver("potrfBatched", static_cast<int>(lower), n, a.data, n, p_.status, as_int(p_.items));
    }
    int words = 0;
    solver("potrf_bufferSize", static_cast<int>(lower), n, p_.operands[0], n, &words);
    const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
    for (int64_t i = 0; i < p_.items; ++i) solver("potrf", static_cast<int>(lower), n, element(0, i * p_.n * p_.n), n, work.data, words, p_.status + i);
  }

  void qr() {
    const int m = as_int(p_.m), n = as_int(p_.n), k = as_int(p_.k), least = std::min(m, n);
    if (p_.items > 1 && std::max(m, n) <= 256 && p_.items >= n / 16) {
      const Temporary a = pointers(p_.operands[0], p_.n * p_.m), tau = pointers(p_.operands[2], least);
      int wrong = 0;  // of arguments; a factor there is always
      device_.fill(p_.status, 0, 1, static_cast<size_t>(p_.items) * sizeof(int32_t), stream_);
      blas("geqrfBatched", m, n, a.data, m, tau.data, &wrong, as_int(p_.items));
      if (k) kernel_reflect(p_.operands[1], p_.operands[0], p_.operands[2], p_.items, m, n, k, p_.dtype, device_, stream_);
      return;
    }
    const char* const make = is_complex_ ? "ungqr" : "orgqr";
    int words = 0, more = 0;
    solver("geqrf_bufferSize", m, n, p_.operands[0], m, &words);
    if (k) solver((std::string(make) + "_bufferSize").c_str(), m, k, least, p_.operands[1], m, p_.operands[2], &more);
    words = std::max(words, more);
    const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
    for (int64_t i = 0; i < p_.items; ++i) {
      void *const a = element(0, i * p_.m * p_.n), *const q = element(1, i * p_.m * p_.k), *const tau = element(2, i * least);
      solver("geqrf", m, n, a, m, tau, work.data, words, p_.status + i);
      if (k == 0) continue;
      device_.copy(q, a, static_cast<size_t>(std::min(k, n)) * static_cast<size_t>(m) * size(), stream_);
      solver(make, m, k, least, q, m, tau, work.data, words, spare());
    }
  }

  void eigh(int job) {
    const int n = as_int(p_.n);
    const std::string kind = is_complex_ ? "heev" : "syev";
    int words = 0;
    if (is_batched(32)) {
      solver((kind + "jBatched_bufferSize").c_str(), job, static_cast<int>(upper), n, p_.operands[0], n, p_.operands[1], &words, handle_.eigen_steps, as_int(p_.items));
      const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
      return solver((kind + "jBatched").c_str(), job, static_cast<int>(upper), n, p_.operands[0], n, p_.operands[1], work.data, words, p_.status, handle_.eigen_steps, as_int(p_.items));
    }
    solver((kind + "d_bufferSize").c_str(), job, static_cast<int>(upper), n, p_.operands[0], n, p_.operands[1], &words);
    const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
    for (int64_t i = 0; i < p_.items; ++i)
      solver((kind + "d").c_str(), job, static_cast<int>(upper), n, element(0, i * p_.n * p_.n), n, real_element(1, i * p_.n), work.data, words, p_.status + i);
  }

  /// The library's matrix is the transpose, n x m: its U is vh as it lies, its V is u^H.
  void svd() {
    const bool has_vectors = p_.factor == Factor::svd;
    const int rows = as_int(p_.n), columns = as_int(p_.m), least = std::min(rows, columns), job = has_vectors ? vectors : no_vectors;
    // In one call the factors are square, and there are vectors always.
    const bool at_once = p_.items > 1 && std::max(rows, columns) <= 32;
    // The library works in memory for vectors also where none are wanted.
    const int64_t k = has_vectors ? p_.k : least;
    const int64_t u_count = at_once ? rows : std::min<int64_t>(p_.n, k), v_count = at_once ? columns : std::min<int64_t>(p_.m, k);
    const int64_t u_size = u_count * rows, v_size = v_count * columns;
    const size_t stack = static_cast<size_t>(at_once ? p_.items : 1);
    // Vectors that are asked for lie as they are to lie if the library's are as many.
    const bool in_place = has_vectors && u_count == std::min<int64_t>(p_.n, k);
    const Temporary u(device_, stream_, in_place ? 0 : stack * static_cast<size_t>(u_size) * size()), v(device_, stream_, stack * static_cast<size_t>(std::max<int64_t>(v_size, 1)) * size());
    int words = 0;
    if (at_once) {
      void* const vh = in_place ? p_.operands[3] : u.data;
      solver("gesvdjBatched_bufferSize", job, rows, columns, p_.operands[0], rows, p_.operands[1], vh, rows, v.data, columns, &words, handle_.singular_steps, as_int(p_.items));
      const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
      solver("gesvdjBatched", job, rows, columns, p_.operands[0], rows, p_.operands[1], vh, rows, v.data, columns, work.data, words, p_.status, handle_.singular_steps, as_int(p_.items));
      if (!has_vectors) return;
      const int64_t kept = std::min<int64_t>(p_.n, p_.k) * rows, u_columns = std::min<int64_t>(p_.m, p_.k);
      const auto bytes = static_cast<int64_t>(size());
      if (!in_place)
        kernel_copy({p_.operands[3], kept * bytes, bytes, {}}, {u.data, u_size * bytes, bytes, {}}, p_.items, kept, size(), device_, stream_);
      return kernel_adjoint(p_.operands[2], v.data, p_.items, u_columns, columns, u_columns * columns, v_size, p_.dtype, device_, stream_);
    }
    const int short_form = k == std::max(p_.m, p_.n) && p_.m != p_.n ? 0 : 1;
    solver("gesvdj_bufferSize", job, short_form, rows, columns, p_.operands[0], rows, p_.operands[1], has_vectors ? p_.operands[3] : u.data, rows, v.data, columns, &words, handle_.singular_steps);
    const Temporary work(device_, stream_, static_cast<size_t>(words) * size());
    for (int64_t i = 0; i < p_.items; ++i) {
      void* const vh = in_place ? element(3, i * u_size) : u.data;
      solver("gesvdj", job, short_form, rows, columns, element(0, i * p_.m * p_.n), rows, real_element(1, i * least), vh, rows, v.data, columns, work.data, words, p_.status + i, handle_.singular_steps);
      if (has_vectors) kernel_adjoint(element(2, i * v_size), v.data, 1, v_count, columns, 0, 0, p_.dtype, device_, stream_);
    }
  }

  /// Real matrices stay real in the library, which gives the vectors of a pair as LAPACK does.
  void eig() {
    const int64_t n = p_.n, lines = n;
    const bool has_vectors = p_.factor == Factor::eig, has_pairs = has_vectors && !is_complex_;
    const int complex_type = is_wide_ ? type_complex128 : type_complex64, type = is_complex_ ? complex_type : is_wide_ ? type_float64 : type_float32;
    const int job = has_vectors ? vectors : no_vectors, no_job = no_vectors;
    const Temporary pairs(device_, stream_, has_pairs ? static_cast<size_t>(p_.items * n * n) * size() : 0);
    auto* const rows = has_vectors ? static_cast<char*>(has_pairs ? pairs.data : p_.operands[2]) : nullptr;
    const auto geev = [&](const char* name, int64_t i, auto... rest) {
      char* const own = rows ? rows + static_cast<size_t>(i * n * n) * size() : nullptr;
      void* const w = at<char>(1) + static_cast<size_t>(i * n) * 2 * real_size();
      check(call_by_name(library(), name, handle_.solver, handle_.parameters, no_job, job, n, type, element(0, i * n * n), lines, complex_type, w, type, static_cast<void*>(nullptr), lines, type, static_cast<void*>(own), lines, type,
                         rest...), "geev");
    };
    size_t bytes = 0, host_bytes = 0;
    geev("cusolverDnXgeev_bufferSize", 0, &bytes, &host_bytes);
    const Temporary work(device_, stream_, bytes);
    const std::unique_ptr<char[]> host(new char[std::max<size_t>(host_bytes, 1)]);
    for (int64_t i = 0; i < p_.items; ++i) geev("cusolverDnXgeev", i, work.data, bytes, static_cast<void*>(host.get()), host_bytes, p_.status + i);
    if (has_pairs) kernel_pairs(p_.operands[2], rows, p_.operands[1], p_.items, n, p_.dtype, device_, stream_);
  }

  static int as_int(int64_t length) {
    if (length > INT32_MAX) throw Error(ErrorKind::unsupported, "a length of " + std::to_string(length) + " is more than cuSOLVER takes");
    return static_cast<int>(length);
  }

  /// cusolverDn<t>name, with the handle first.
  template <class... A>
  void solver(const char* name, A... args) {
    check(call_by_name(library(), std::string("cusolverDn") + letter() + name, handle_.solver, args...), name);
  }
  /// cublas<t>name.
  template <class... A>
  void blas(const char* name, A... args) {
    const HeldCublas held = hold_cublas(stream_);
    check(call_by_name(cublas_library().library, std::string("cublas") + letter() + name, held.handle, args...), name);
  }
  char letter() const { return "SDCZ"[2 * is_complex_ + is_wide_]; }

  /// A list of addresses of a stack's items, which are so many elements long.
  Temporary pointers(void* first, int64_t elements) {
    return {device_, stream_, static_cast<size_t>(p_.items) * sizeof(void*), [&](void* list) {
              kernel_pointers(static_cast<void**>(list), first, p_.items, elements * static_cast<int64_t>(size()), device_, stream_);
            }};
  }

  size_t size() const { return info(p_.dtype).size; }
  size_t real_size() const { return is_wide_ ? sizeof(double) : sizeof(float); }
  template <class T>
  T* at(int operand) const { return static_cast<T*>(p_.operands[operand]); }
  void* element(int operand, int64_t i) const { return static_cast<void*>(at<char>(operand) + static_cast<size_t>(i) * size()); }
  void* real_element(int operand, int64_t i) const { return static_cast<void*>(at<char>(operand) + static_cast<size_t>(i) * real_size()); }
  int32_t* spare() const { return static_cast<int32_t*>(spare_.data); }

  const Factors& p_;
  Device& device_;
  Stream& stream_;
  Handle& handle_;
  const std::lock_guard<std::mutex> lock_;
  const bool is_complex_, is_wide_;
  const Temporary spare_;  ///< for what says nothing new about a failure
};

}  // namespace

bool cuda_has(Factor factor, std::string* why) {
  if (factor == Factor::inverse || factor == Factor::det || factor == Factor::slogdet || factor == Factor::lstsq) return false;  // compositions
  if (factor != Factor::eig && factor != Factor::eigvals) return true;     // or library() says what is missing
  if (dlsym(library(), "cusolverDnXgeev")) return true;
  if (why) *why = "eigenvalues of matrices that are not symmetric are in cuSOLVER 11.7 (CUDA 12.6) and later: pip install nvidia-cusolver; or x.to_device(\"cpu\")";
  return false;
}

void cuda_factor(const Factors& problem, Device& device, Stream& stream) {
  const cuda::ContextScope scope(static_cast<cuda::CudaDevice&>(device));
  Stack(problem, device, stream).run();
}

}  // namespace kasoku::linalg
