// A program whose host part names libraries and headers that are nowhere.
#include <nowhere/tensor.h>
#include "nowhere_either.h"
#include <vector>

#define DISPATCH(type, ...) nowhere::dispatch(type, [&] { __VA_ARGS__ })

namespace shop {

static nowhere::Registry registry{"shop", {1, 2, 3}};
const char* names[] = {"a;b", "}", R"(quoted "}" here)"};

struct Settings {
  nowhere::Device device;
  nowhere::Handle open() const { return device.open(); }
};

template <typename T>
__device__ __forceinline__ T price(T amount, T each) {
  return amount * each;
}

template <typename T>
__global__ void total(const T* amount, const T* each, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = price(amount[i], each[i]);
}

nowhere::Tensor run(const nowhere::Tensor& amount, Settings settings) {
  DISPATCH(amount.type(), total<float><<<1, 256>>>(amount.data<float>(), nullptr, nullptr, 0););
  return amount;
}

}  // namespace shop

#ifdef NOWHERE
#error "not this way"
#elif !defined(OTHERWISE)
nowhere::Tensor both(nowhere::Tensor x
#else
int both(
#endif
) {
  return shop::run(x, {});
}

NOWHERE_MODULE(name, m) {
  m.def("run", &shop::run);
}

__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }

int main(int argc, char** argv) {
  nowhere::start(argc, argv);
  return shop::run({}, {}).size();
}
