// <thrust/random.h>: the linear congruential engines and uniform distributions, with thrust's numbers.
#pragma once
#pragma clang system_header
#if __cplusplus >= 201703L
#include <kasoku/tuple.h>
#endif
#include <kasoku/host.h>
#pragma clang force_cuda_host_device begin

namespace thrust {
namespace random {
template <class T, T a, T c, T m> class linear_congruential_engine {
 public:
  typedef T result_type;
  static const T multiplier = a, increment = c, modulus = m, min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1;
  ks_inline explicit linear_congruential_engine(T s = default_seed) { seed(s); }
  ks_inline void seed(T s = default_seed) { ks_x = c % m == 0 && s % m == 0 ? 1 : s % m; }
  ks_inline T operator()() { return ks_x = (T)(((unsigned long long)a * ks_x + c) % m); }
  ks_inline void discard(unsigned long long n) {
    unsigned long long factor = a, sum = c, by = 1, plus = 0;
    for (; n; n >>= 1) {
      if (n & 1) by = by * factor % m, plus = (plus * factor + sum) % m;
      sum = (factor + 1) * sum % m, factor = factor * factor % m;
    }
    ks_x = (T)((by * ks_x + plus) % m);
  }

 private:
  T ks_x;
};
typedef linear_congruential_engine<uint32_t, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<uint32_t, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

template <class T = double> class uniform_real_distribution {
 public:
  typedef T result_type;
  ks_inline explicit uniform_real_distribution(T a = 0, T b = 1) : ks_a(a), ks_b(b) {}
  template <class Engine> ks_inline T operator()(Engine& engine) const {
    const T x = (T)(engine() - Engine::min) / ((T)(Engine::max - Engine::min) + 1);
    return x * (ks_b - ks_a) + ks_a;
  }
  ks_inline T a() const { return ks_a; }
  ks_inline T b() const { return ks_b; }
  ks_inline void reset() {}

 private:
  T ks_a, ks_b;
};
template <class T = int> class uniform_int_distribution {
 public:
  typedef T result_type;
  ks_inline explicit uniform_int_distribution(T a = 0, T b = (T)((((unsigned long long)1 << (8 * sizeof(T) - 1)) - 1)))
      : ks_real((double)a, (double)b + 1) {}
  template <class Engine> ks_inline T operator()(Engine& engine) const { return (T)ks_real(engine); }
  ks_inline void reset() {}

 private:
  uniform_real_distribution<double> ks_real;
};
}  // namespace random
using namespace random;
}  // namespace thrust

#pragma clang force_cuda_host_device end
