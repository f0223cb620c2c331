#include "kasoku/fft/ducc.h"

#include "kasoku/device/cpu/pool.h"

#include <ducc0/fft/fft.h>
#include <ducc0/fft/fftnd_impl.h>
#include <ducc0/infra/mav.cc>

#include <algorithm>
#include <complex>

// DUCC0's own threads are left out; these are the functions by which its loops ask for some.
namespace ducc0::detail_threading {
namespace {

/// What is left of one thread's part.
class Part final : public Scheduler {
 public:
  Part(size_t n, size_t i, size_t begin, size_t end) : n_(n), i_(i), rest_(begin, end) {}
  size_t num_threads() const override { return n_; }
  size_t thread_num() const override { return i_; }
  Range getNext() override { return std::exchange(rest_, Range()); }

 private:
  const size_t n_, i_;
  Range rest_;
};

void in_parts(size_t n, size_t work_begin, size_t work_end, const std::function<void(Scheduler&)>& run) {
  const size_t work = work_end - work_begin;
  kasoku::cpu::parallel_blocks(n, 1, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      Part part(n, i, work_begin + work * i / n, work_begin + work * (i + 1) / n);
      run(part);
    }
  });
}

}  // namespace

size_t adjust_nthreads(size_t n) { return n; }

void execParallel(size_t n, std::function<void(Scheduler&)> run) { in_parts(n, 0, n, run); }

void execParallel(size_t begin, size_t end, size_t n, std::function<void(size_t, size_t)> run) {
  in_parts(std::min(n, std::max<size_t>(end - begin, 1)), begin, end, [&](Scheduler& part) {
    if (const Range range = part.getNext()) run(range.lo, range.hi);
  });
}

void execStatic(size_t work, size_t n, size_t, std::function<void(Scheduler&)> run) { in_parts(std::min(n, std::max<size_t>(work, 1)), 0, work, run); }

}  // namespace ducc0::detail_threading

namespace kasoku::fft {
namespace {

/// An array as DUCC0 sees it. An axis of one element is left out where nothing is transformed along it: a single
/// transform is then seen to be one, and has all threads.
struct Seen {
  ducc0::fmav_info::shape_t shape;
  ducc0::fmav_info::stride_t strides;
};

template <class Element>
Seen seen(const Transform& p, const Extents& strides, bool is_half) {
  Seen out;
  for (size_t d = 0; d < p.lengths.size(); ++d) {
    const bool is_transformed = std::find(p.axes.begin(), p.axes.end(), static_cast<int64_t>(d)) != p.axes.end();
    if (p.lengths[d] == 1 && !is_transformed) continue;
    const bool halves = is_half && p.axes[p.axes.size() - 1] == static_cast<int64_t>(d);
    out.shape.push_back(static_cast<size_t>(halves ? p.lengths[d] / 2 + 1 : p.lengths[d]));
    out.strides.push_back(strides[d] / static_cast<int64_t>(sizeof(Element)));
  }
  return out;
}

/// In how many parts the pool gets a transform, whatever number of threads it has: DUCC0 computes what is left of a
/// part's lines with fewer lanes, which may give other bits.
size_t parts(const Transform& p) {
  int64_t elements = 1, longest = 1;
  for (const int64_t n : p.lengths) elements *= n;
  for (const int64_t axis : p.axes) longest = std::max(longest, p.lengths[static_cast<size_t>(axis)]);
  constexpr int64_t worth = 32768, lines = 16, most = 32;
  if (elements < worth) return 1;
  return static_cast<size_t>(elements == longest ? most : std::clamp<int64_t>(elements / longest / lines, 1, most));
}

template <class T>
void run(const Transform& p) {
  using Complex = std::complex<T>;
  ducc0::fmav_info::shape_t axes;
  for (const int64_t axis : p.axes) {
    size_t place = 0;
    for (int64_t d = 0; d < axis; ++d) place += p.lengths[static_cast<size_t>(d)] != 1 || std::find(p.axes.begin(), p.axes.end(), d) != p.axes.end();
    axes.push_back(place);
  }
  const size_t threads = parts(p);
  const auto factor = static_cast<T>(p.factor);
  const auto in = [&]<class E>(E, bool is_half) {
    Seen s = seen<E>(p, p.from_strides, is_half);
    return ducc0::cfmav<E>(static_cast<const E*>(p.from), s.shape, s.strides);
  };
  const auto out = [&]<class E>(E, bool is_half) {
    Seen s = seen<E>(p, p.to_strides, is_half);
    return ducc0::vfmav<E>(static_cast<E*>(p.to), s.shape, s.strides);
  };
  switch (p.kind) {
    case Kind::complex: return ducc0::c2c(in(Complex(), false), out(Complex(), false), axes, p.is_forward, factor, threads);
    case Kind::to_half: return ducc0::r2c(in(T(), false), out(Complex(), true), axes, p.is_forward, factor, threads);
    case Kind::from_half: return ducc0::c2r(in(Complex(), true), out(T(), false), axes, p.is_forward, factor, threads);
  }
}

}  // namespace

void ducc_transform(const Transform& p, Device&, Stream&) { p.real == Dtype::float32 ? run<float>(p) : run<double>(p); }

}  // namespace kasoku::fft
