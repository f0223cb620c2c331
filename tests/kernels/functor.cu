struct Square { __device__ int operator()(int v) const { return v * v; } };
struct AddN { int n; __device__ int operator()(int v) const { return v + n; } };
template <class F> __device__ void transform(const int* in, int* out, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = f(in[i]);
}
namespace work {
extern "C" __global__ void run(const int* in, int* out, int n) {
  transform(in, out, n, Square());
  AddN add{5};
  transform(out, out, n, [=](int v) { return add(v) * 2; });
}
}  // namespace work
