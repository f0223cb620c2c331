#include "kasoku/linalg/lapack.h"

#include "kasoku/base/rounding.h"
#include "kasoku/device/cpu/computing.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/linalg/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace kasoku::linalg {
namespace {

// clang-format off
struct Row { std::string_view name; const char* real; const char* complex; };
constexpr Row table[] = {
    {"getrf",        "getrf", "getrf"}, {"getrs",        "getrs", "getrs"}, {"getri", "getri", "getri"},
    {"potrf",        "potrf", "potrf"}, {"gelqf",        "gelqf", "gelqf"}, {"orglq", "orglq", "unglq"},
    {"geqrf",        "geqrf", "geqrf"}, {"orgqr",        "orgqr", "ungqr"},
    {"heevd",        "syevd", "heevd"}, {"heevd_values", "syevd", "heevd"},
    {"gesdd",        "gesdd", "gesdd"}, {"gesdd_values", "gesdd", "gesdd"}, {"geev",  "geev",  "geev"},
    {"gelsd",        "gelsd", "gelsd"}, {"gesv",         "gesv",  "gesv"},
    {"",             "trsm",  "trsm"},  {"",             "gemm",  "gemm"},  {"",      "laswp", "laswp"},
};
constexpr size_t laswp = std::size(table) - 1, gemm = laswp - 1, trsm = gemm - 1;  // no routines of ours: parts of some
/// Factors of a matrix with so many columns or more are made in panels, between which the pool works.
constexpr int64_t least_of_panels = 256;
/// Real matrices of so many rows and columns at most are given as NumPy gives them, for the same signs of eigenvectors and
/// singular vectors.
constexpr int64_t few = 32;
// clang-format on

struct Functions {
  void* at[std::size(table)][4] = {};

  explicit Functions(const Blas& blas) {
    for (size_t r = 0; r < std::size(table); ++r)
      for (int type = 0; type < 4; ++type) {
        const std::string name = blas.prefix + "sdcz"[type] + (type < 2 ? table[r].real : table[r].complex);
        at[r][type] = dlsym(blas.library, (name + "_" + blas.suffix).c_str());
        if (!at[r][type]) at[r][type] = dlsym(blas.library, (name + blas.suffix).c_str());
      }
  }
};

int type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32: return 0;
    case Dtype::float64: return 1;
    case Dtype::complex64: return 2;
    case Dtype::complex128: return 3;
    default: return -1;
  }
}

/// Memory that a call works in. Little of it is the thread's, for its next call: a stack of small matrices asks for the same again.
class Workspace {
 public:
  explicit Workspace(std::initializer_list<size_t> parts) {
    constexpr size_t most_kept = size_t{1} << 18;
    for (const size_t bytes : parts) starts_[n_++] = bytes_, bytes_ += (bytes + alignment - 1) / alignment * alignment;
    if (bytes_ > most_kept) own_.reset(new std::byte[bytes_]);
    else if (kept.size() < bytes_) kept.resize(bytes_);
    at_ = own_ ? own_.get() : kept.data();
  }
  void* operator[](size_t part) const { return at_ + starts_[part]; }

 private:
  static constexpr size_t alignment = 16;
  inline static thread_local std::vector<std::byte> kept;
  std::unique_ptr<std::byte[]> own_;
  std::byte* at_;
  size_t starts_[3] = {}, n_ = 0, bytes_ = 0;
};

/// A real number of any type.
struct Number {
  double wide[2];
  float narrow[2];
  const void* of(int type) const { return type % 2 ? static_cast<const void*>(wide) : narrow; }
};
Number number_of(double x) { return {{x, 0}, {static_cast<float>(x), 0}}; }

/// How much of it the thread's last question about a routine was answered with.
struct Answer {
  const void* function = nullptr;
  std::array<int64_t, 10> lengths{};
  int64_t elements = 0, reals = 0, integers = 0;
};
Answer& last_answer(Routine routine) {
  // On the heap: little room is left for variables of threads in a library that is loaded late.
  thread_local const std::unique_ptr<Answer[]> answers(new Answer[std::size(table)]);
  return answers[static_cast<size_t>(routine)];
}

/// One call. Fortran takes addresses, and behind them the lengths of what are characters.
template <class Int>
class Call {
 public:
  Call(const Functions& functions, Routine routine, int type, std::span<const Rows> x)
      : function_(functions.at[static_cast<size_t>(routine)][type]), trsm_(functions.at[trsm][type]), gemm_(functions.at[gemm][type]), laswp_(functions.at[laswp][type]), type_(type), x_(x),
        answer_(last_answer(routine)), m_(static_cast<Int>(x[0].length)), n_(static_cast<Int>(x[0].count)), k_(std::min(m_, n_)), lines_(std::max<Int>(m_, 1)) {}

  /// `has_pool`: the pool's threads may take part, each of which has the library for itself.
  int64_t run(Routine routine, bool has_pool) {
    const Rows& a = x_[0];
    switch (routine) {
      case Routine::getrf: factor(has_pool); break;
      case Routine::getrs: {
        char transposed = 'T';
        Int columns = static_cast<Int>(x_[2].count);
        with_pivots([&](Int* order) { call(&transposed, &n_, &columns, a.data, &lines_, order, x_[2].data, &lines_, &info_); });
        break;
      }
      case Routine::gesv: {
        Int columns = static_cast<Int>(x_[2].count);
        with_pivots([&](Int* order) { call(&n_, &columns, a.data, &lines_, order, x_[2].data, &lines_, &info_); });
        break;
      }
      case Routine::getri:
        if (has_pool && n_ > 64) return invert(a, n_);
        with_pivots([&](Int* order) { with_work([&](const Work& w) { call(&n_, a.data, &lines_, order, w.elements, w.length, &info_); }); });
        break;
      case Routine::potrf: {
        char upper = 'U';
        call(&upper, &n_, a.data, &lines_, &info_);
        break;
      }
      case Routine::gelqf:
      case Routine::geqrf:
        with_work([&](const Work& w) { call(&m_, &n_, a.data, &lines_, x_[1].data, w.elements, w.length, &info_); });
        break;
      case Routine::orglq:
        with_work([&](const Work& w) { call(&k_, &n_, &k_, a.data, &lines_, x_[1].data, w.elements, w.length, &info_); });
        break;
      case Routine::orgqr: {
        Int reflectors = static_cast<Int>(x_[1].length);
        with_work([&](const Work& w) { call(&m_, &n_, &reflectors, a.data, &lines_, x_[1].data, w.elements, w.length, &info_); });
        break;
      }
      case Routine::heevd: hermitian_values('V'); break;
      case Routine::heevd_values: hermitian_values('N'); break;
      case Routine::gesdd:
        if (type_ < 2 && std::max(m_, n_) <= few) return type_ == 0 ? svd_of_few<float>() : svd_of_few<double>();
        singular_values(true);
        break;
      case Routine::gesdd_values: singular_values(false); break;
      case Routine::geev: eigenvalues(); break;
      case Routine::gelsd: least_squares(); break;
    }
    return info_;
  }

 private:
  void factor(bool has_pool) {
    std::vector<Int> order(static_cast<size_t>(k_));
    if (has_pool && n_ >= least_of_panels) info_ = static_cast<Int>(factor_in_panels(x_[0], n_, order.data()));
    else call(&m_, &n_, x_[0].data, &lines_, order.data(), &info_);
    std::copy(order.begin(), order.end(), static_cast<int64_t*>(x_[1].data));
  }

  void hermitian_values(char vectors) {
    const Rows& a = x_[0];
    const bool is_turned = type_ < 2 && n_ <= few;
    if (is_turned) turn(a);
    char upper = is_turned ? 'L' : 'U';
    with_work([&](const Work& w) {
      if (type_ < 2) call(&vectors, &upper, &n_, a.data, &lines_, x_[1].data, w.elements, w.length, w.integers, w.n_integers, &info_);
      else call(&vectors, &upper, &n_, a.data, &lines_, x_[1].data, w.elements, w.length, w.reals, w.n_reals, w.integers, w.n_integers, &info_);
    });
  }

  /// With `all` their vectors too.
  void singular_values(bool all) {
    const Rows& a = x_[0];
    char job = !all ? 'N' : x_[2].length == a.count && x_[3].count == a.length ? 'A' : 'S';
    Int u_lines = lines_, v_lines = all ? std::max<Int>(static_cast<Int>(x_[2].length), 1) : 1;
    const int64_t least = k_, most = std::max(m_, n_);
    const int64_t reals = type_ < 2 ? 0 : least * std::max(5 * least + 7, 2 * most + 2 * least + 1) + 1;
    void *u = all ? x_[3].data : a.data, *v = all ? x_[2].data : a.data;
    with_work([&](const Work& w) {
      if (type_ < 2) call(&job, &m_, &n_, a.data, &lines_, x_[1].data, u, &u_lines, v, &v_lines, w.elements, w.length, w.integers, &info_);
      else call(&job, &m_, &n_, a.data, &lines_, x_[1].data, u, &u_lines, v, &v_lines, w.elements, w.length, w.reals, w.integers, &info_);
    }, reals, 8 * least + 1);
  }

  void eigenvalues() {
    char no = 'N', job = x_[3].count ? 'V' : 'N';
    void *a = x_[0].data, *values = x_[1].data, *imaginary = x_[2].data, *v = x_[3].data;
    with_work([&](const Work& w) {
      if (type_ < 2) call(&no, &job, &n_, a, &lines_, values, imaginary, v, &lines_, v, &lines_, w.elements, w.length, &info_);
      else call(&no, &job, &n_, a, &lines_, values, v, &lines_, v, &lines_, w.elements, w.length, w.reals, &info_);
    }, 2 * static_cast<int64_t>(n_) + 1);
  }

  void least_squares() {
    void *a = x_[0].data, *b = x_[1].data, *s = x_[2].data, *limit = x_[3].data;
    Int columns = static_cast<Int>(x_[1].count), long_lines = std::max<Int>(static_cast<Int>(x_[1].length), 1), rank = 0;
    with_work([&](const Work& w) {
      if (type_ < 2) call(&m_, &n_, &columns, a, &lines_, b, &long_lines, s, limit, &rank, w.elements, w.length, w.integers, &info_);
      else call(&m_, &n_, &columns, a, &lines_, b, &long_lines, s, limit, &rank, w.elements, w.length, w.reals, w.integers, &info_);
    });
    *static_cast<int64_t*>(x_[4].data) = rank;
  }

  template <class... T>
  void call(T*... address) const {
    reinterpret_cast<void (*)(T*..., size_t, size_t)>(function_)(address..., 1, 1);
  }

  void solve(char half, char diagonal, Int rows, Int columns, void* factors, void* x, Int lines) const {
    char left = 'L', no = 'N';
    reinterpret_cast<void (*)(char*, char*, char*, char*, Int*, Int*, const void*, const void*, Int*, void*, Int*, size_t, size_t, size_t, size_t)>(trsm_)(
        &left, &half, &no, &diagonal, &rows, &columns, number_of(1).of(type_), factors, &lines, x, &lines, 1, 1, 1, 1);
  }

  /// c -= a b.
  void subtract_product(Int rows, Int columns, Int inner, void* a, void* b, void* c, Int lines) const {
    char no = 'N';
    reinterpret_cast<void (*)(char*, char*, Int*, Int*, Int*, const void*, const void*, Int*, const void*, Int*, const void*, void*, Int*, size_t, size_t)>(gemm_)(
        &no, &no, &rows, &columns, &inner, number_of(-1).of(type_), a, &lines, b, &lines, number_of(1).of(type_), c, &lines, 1, 1);
  }

  void change_rows(void* x, Int columns, Int lines, Int first, Int last, Int* order) const {
    Int step = 1;
    ++first;
    reinterpret_cast<void (*)(Int*, void*, Int*, Int*, Int*, Int*, Int*)>(laswp_)(&columns, x, &lines, &first, &last, order, &step);
  }

  /// The transpose of a real matrix in its place.
  void turn(const Rows& a) const {
    const auto of = [&]<class T>(T* x) {
      for (int64_t i = 1; i < a.count; ++i)
        for (int64_t j = 0; j < i; ++j) std::swap(x[i * a.count + j], x[j * a.count + i]);
    };
    if (type_ == 0) of(static_cast<float*>(a.data));
    else of(static_cast<double*>(a.data));
  }

  /// gesdd of a itself, by columns.
  template <class T>
  int64_t svd_of_few() const {
    const Rows &a = x_[0], &u = x_[2], &vh = x_[3];
    const auto transposed = [](const T* from, int64_t count, int64_t length, T* to) {
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < length; ++j) to[j * count + i] = from[i * length + j];
    };
    Int m = static_cast<Int>(a.count), n = static_cast<Int>(a.length), vh_rows = static_cast<Int>(vh.count), info = 0;
    char job = u.length == a.count && vh.count == a.length ? 'A' : 'S';
    std::vector<T> columns(static_cast<size_t>(m * n)), left(static_cast<size_t>(u.count * u.length)), right(static_cast<size_t>(vh.count * vh.length));
    transposed(static_cast<const T*>(a.data), m, n, columns.data());
    with_work([&](const Work& w) {
      call(&job, &m, &n, columns.data(), &m, x_[1].data, left.data(), &m, right.data(), &vh_rows, w.elements, w.length, w.integers, &info);
    }, 0, 8 * std::min(m, n) + 1);
    transposed(left.data(), u.length, m, static_cast<T*>(u.data));
    transposed(right.data(), n, vh.count, static_cast<T*>(vh.data));
    return info;
  }

  /// What getrf does: it makes the factors of a panel of columns, then the pool's threads bring those behind it up to date. The library's
  /// own threads would stand in the way of the pool's for a while after they are done.
  int64_t factor_in_panels(const Rows& a, Int n, Int* order) const {
    const auto at = [&](Int row, Int column) { return static_cast<char*>(a.data) + (static_cast<size_t>(column) * static_cast<size_t>(n) + static_cast<size_t>(row)) * element_size(); };
    const Int panel = std::clamp<Int>(n / 16 / 16 * 16, 32, 128);
    Int failed = 0;
    for (Int k = 0; k < n; k += panel) {
      Int width = std::min<Int>(panel, n - k), rows = n - k, lines = n, info = 0;
      const Int next = k + width;
      call(&rows, &width, at(k, k), &lines, order + k, &info);
      if (info > 0 && !failed) failed = info + k;
      for (Int i = k; i < next; ++i) order[i] += k;
      const uint64_t rest = static_cast<uint64_t>(n - next), grain = std::max<uint64_t>(32, divide_up(rest, uint64_t{2} * cpu::thread_limit()));
      cpu::parallel_blocks(rest, grain, [&](uint64_t begin, uint64_t end) {
        const Int first = next + static_cast<Int>(begin), columns = static_cast<Int>(end - begin);
        change_rows(at(0, first), columns, n, k, next, order);
        solve('L', 'U', width, columns, at(k, k), at(k, first), n);
        subtract_product(n - next, columns, width, at(next, k), at(k, first), at(next, first), n);
      });
    }
    // In the panels before, rows change places as in those behind.
    const auto panels = static_cast<uint64_t>(divide_up(n, panel));
    cpu::parallel_blocks(panels, 1, [&](uint64_t begin, uint64_t end) {
      for (uint64_t p = begin; p < end; ++p)
        if (const Int first = static_cast<Int>(p) * panel, next = first + panel; next < n) change_rows(at(0, first), panel, n, next, n, order);
    });
    return failed;
  }

  /// What getri does, in columns that the pool shares out: getri's own loops have one thread. Those of the inverse of
  /// L begin at the diagonal; what stands left of them is U's inverse times that. In the end the pivots' order.
  int64_t invert(const Rows& a, Int n) const {
    const size_t size = element_size(), side = static_cast<size_t>(n);
    char* const to = static_cast<char*>(a.data);
    for (size_t i = 0; i < side; ++i)
      if (is_zero(to + (i * side + i) * size)) return static_cast<int64_t>(i) + 1;
    const std::unique_ptr<char[]> factors(new char[side * side * size]);
    std::memcpy(factors.get(), to, side * side * size);
    const Number unit = number_of(1);
    const uint64_t columns = std::max<uint64_t>(32, (side / (4 * cpu::thread_limit()) + 7) / 8 * 8);
    cpu::parallel_blocks(side, columns, [&](uint64_t begin, uint64_t end) {
      const Int width = static_cast<Int>(end - begin);
      std::memset(to + begin * side * size, 0, (end - begin) * side * size);
      for (uint64_t j = begin; j < end; ++j) std::memcpy(to + (j * side + j) * size, unit.of(type_), size);
      solve('L', 'U', n - static_cast<Int>(begin), width, factors.get() + (begin * side + begin) * size, to + (begin * side + begin) * size, n);
      solve('U', 'N', n, width, factors.get(), to + begin * side * size, n);
    });
    const auto* const order = static_cast<const int64_t*>(x_[1].data);
    for (size_t j = side; j-- > 0;)
      if (const auto other = static_cast<size_t>(order[j] - 1); other != j) std::swap_ranges(to + j * side * size, to + (j + 1) * side * size, to + other * side * size);
    return 0;
  }

  bool is_zero(const void* element) const { return number(element) == 0 && (type_ < 2 || number(static_cast<const char*>(element) + real_size()) == 0); }
  size_t element_size() const { return real_size() * (type_ < 2 ? 1 : 2); }
  size_t real_size() const { return type_ % 2 ? sizeof(double) : sizeof(float); }
  /// What a routine wrote where its workspace would be: the real part of an element.
  double number(const void* at) const {
    float single;
    double real;
    std::memcpy(&single, at, sizeof single), std::memcpy(&real, at, sizeof real);
    return type_ % 2 ? real : single;
  }

  template <class F>
  void with_pivots(const F& run) const {
    auto* const all = static_cast<int64_t*>(x_[1].data);
    if constexpr (sizeof(Int) == sizeof(int64_t)) return run(reinterpret_cast<Int*>(all));
    std::vector<Int> order(static_cast<size_t>(x_[1].length));
    std::transform(all, all + x_[1].length, order.begin(), [](int64_t p) { return static_cast<Int>(p); });
    run(order.data());
  }

  struct Work {
    void* elements;
    Int* length;
    void* reals;
    Int* n_reals;
    Int* integers;
    Int* n_integers;
  };

  /// Asks how much work space the routine wants, and gives it: of what it does not say, `reals` and `integers`.
  template <class F>
  void with_work(const F& run, int64_t reals = 1, int64_t integers = 1) const {
    Answer asked{function_};
    for (size_t i = 0; i < x_.size(); ++i) asked.lengths[2 * i] = x_[i].count, asked.lengths[2 * i + 1] = x_[i].length;
    if (answer_.function != asked.function || answer_.lengths != asked.lengths) {
      double elements[2] = {}, a_real = 0;
      Int length = -1, n_reals = -1, n_integers = -1, an_integer = 0;
      run(Work{elements, &length, &a_real, &n_reals, &an_integer, &n_integers});
      asked.elements = std::max<int64_t>(static_cast<int64_t>(number(elements)), 1);
      asked.reals = std::max(static_cast<int64_t>(number(&a_real)), reals);
      asked.integers = std::max(static_cast<int64_t>(an_integer), integers);
      answer_ = asked;
    }
    Int length = static_cast<Int>(answer_.elements), n_reals = static_cast<Int>(answer_.reals), n_integers = static_cast<Int>(answer_.integers);
    const Workspace space({static_cast<size_t>(length) * element_size(), static_cast<size_t>(n_reals) * real_size(), static_cast<size_t>(n_integers) * sizeof(Int)});
    run(Work{space[0], &length, space[1], &n_reals, static_cast<Int*>(space[2]), &n_integers});
  }

  void *const function_, *const trsm_, *const gemm_, *const laswp_;
  const int type_;
  const std::span<const Rows> x_;
  Answer& answer_;
  Int m_, n_, k_, lines_, info_ = 0;  ///< of x[0]: rows and columns as Fortran sees them, the fewer of both, and how far apart columns are
};

}  // namespace

std::optional<Routine> routine(std::string_view name) {
  for (size_t r = 0; r < std::size(table); ++r)
    if (table[r].name == name) return static_cast<Routine>(r);
  return std::nullopt;
}

bool has_lapack() {
  static const bool is_there = [] {
    const Blas* library = blas();
    return library && Functions(*library).at[static_cast<size_t>(Routine::getrf)][1];
  }();
  return is_there;
}

int64_t lapack(Routine routine, Dtype dtype, std::span<const Rows> operands, bool are_threads_chosen) {
  const Blas* library = blas();
  const int type = type_of(dtype);
  if (!library || type < 0) return absent;
  static const Functions& functions = *new Functions(*library);
  double work = 1;
  for (const Rows& rows : operands) {
    if (!library->takes(rows.count) || !library->takes(rows.length)) return absent;
    work = std::max(work, static_cast<double>(rows.count) * static_cast<double>(rows.length) * static_cast<double>(std::min(rows.count, rows.length)));
  }
  if (!functions.at[static_cast<size_t>(routine)][type]) return absent;
  const bool has_pool = library->is_on_callers && !are_threads_chosen && functions.at[trsm][type] && functions.at[gemm][type] && functions.at[laswp][type];
  const auto run = [&] {
    return library->has_64_bit_integers ? Call<int64_t>(functions, routine, type, operands).run(routine, has_pool) : Call<int32_t>(functions, routine, type, operands).run(routine, has_pool);
  };
  if (are_threads_chosen) return run();
  // Threads of its own are worth waking for large matrices, of whose eigenvalues and singular values it takes many times as long; those
  // that others compute beside share the cores.
  constexpr double much = 1e9, times_of_values = 10;
  const bool is_of_values = routine >= Routine::heevd && routine <= Routine::geev;
  const LibraryThreads threads(*library, work * (is_of_values ? times_of_values : 1) < much || (has_pool && (routine == Routine::getrf || routine == Routine::getri)) ? 1 : cpu::thread_share());
  return run();
}

}  // namespace kasoku::linalg
