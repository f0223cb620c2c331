#include "kasoku/array/random.h"

#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/run.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <pthread.h>

namespace kasoku {

Generator& default_generator() {
  static auto* generator = [] {
    auto* made = new Generator(entropy(), DrawSource::Owner::process);
    static DrawSource& draws = made->draws_;
    pthread_atfork([] { draws.mutex().lock(); }, [] { draws.mutex().unlock(); },
                   [] { draws.mutex().unlock(), draws.restart(entropy()); });
    return made;
  }();
  return *generator;
}

Array Generator::leaf(Distribution distribution, const Shape& shape, Dtype dtype, Device& device, int64_t low, uint64_t range) {
  for (int64_t length : shape)
    if (length < 0) throw Error(ErrorKind::value, "negative dimensions are not allowed");
  Expression expression;
  expression.kind = Expression::random;
  const Draw draw = draws_.next();
  expression.random_leaf = {distribution, draw.key, draw.stream, static_cast<uint32_t>(draw.number), low, range};
  return Array::of(make_node(shape, dtype, device, std::move(expression)));
}

Array Generator::uniform(const Shape& shape, Dtype dtype, Device& device) {
  if (dtype == Dtype::float32 || dtype == Dtype::float64) return leaf(Distribution::uniform, shape, dtype, device);
  return astype(leaf(Distribution::uniform, shape, Dtype::float32, device), dtype);
}

Array Generator::normal(const Shape& shape, Dtype dtype, Device& device) {
  if (dtype == Dtype::float32 || dtype == Dtype::float64) return leaf(Distribution::normal, shape, dtype, device);
  return astype(leaf(Distribution::normal, shape, Dtype::float32, device), dtype);
}

Array Generator::integers(int64_t low, uint64_t range, const Shape& shape, Dtype dtype, Device& device) {
  const Array wide = leaf(Distribution::integers, shape, Dtype::int64, device, low, range);
  return dtype == Dtype::int64 ? wide : astype(wide, dtype);
}

Array Generator::exponential(const Shape& shape, Dtype dtype, Device& device) {
  return apply(Op::negative, {apply(Op::log, {apply(Op::subtract, {1, uniform(shape, dtype, device)})})});
}

Array Generator::permutation(int64_t n, Device& device) {
  // Words in order: of two equal ones, one among 2^64, the first comes first.
  return argsort(leaf(Distribution::integers, {n}, Dtype::int64, device), 0);
}

}  // namespace kasoku
