// A program as it is compiled by nvcc, host part and all.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>
#include <algorithm>
#include <iterator>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <helper_cuda.h>
#include <helper_math.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>

#define CHECK(call)                                                   \
  do {                                                                \
    cudaError_t status = call;                                        \
    if (status != cudaSuccess) {                                      \
      std::cerr << cudaGetErrorString(status) << std::endl;           \
      std::exit(EXIT_FAILURE);                                        \
    }                                                                 \
  } while (0)

static std::vector<float> samples;
static cudaStream_t streams[2];
const char* titles[] = {"rows", "columns"};

struct Options {
  std::string input;
  int repeats;
  explicit Options(const std::string& name = "none") : input(name), repeats(3) { parse(name.c_str()); }
  void parse(const char* text) { repeats = atoi(text); }
};

template <int width>
__global__ void weigh(const float* x, const float* weights, float* out, int n) {
  __shared__ alignas(alignof(float4)) float held[width];
  __shared__ alignas(16) unsigned char order[width];
  const int i = blockIdx.x * width + threadIdx.x;
  order[threadIdx.x] = (unsigned char)(width - 1 - threadIdx.x);
  held[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  const int other = order[threadIdx.x];
  if (i < n) out[i] = held[other] * weights[other];
}

template <int width>
void weigh_all(const std::vector<float>& x, const Options& options, FILE* log = stdout) {
  float* device;
  CHECK(cudaMalloc(&device, x.size() * sizeof(float)));
  weigh<width><<<(x.size() + width - 1) / width, width, 0, streams[0]>>>(device, device, device, (int)x.size());
  fprintf(log, "%s\n", options.input.c_str());
}
template void weigh_all<64>(const std::vector<float>&, const Options&, FILE*);

template <class T>
class strided {
 public:
  class position : public std::iterator<std::input_iterator_tag, T> {
   public:
    __host__ __device__ position(T at, T step) : at_(at), step_(step) {}
    __host__ __device__ T operator*() const { return at_; }
    __host__ __device__ position& operator++() { return at_ += step_, *this; }
    __host__ __device__ bool operator!=(const position& end) const { return at_ < end.at_; }

   private:
    T at_, step_;
  };
  __host__ __device__ strided(T begin, T end, T step) : begin_(begin, step), end_(end, step) {}
  __host__ __device__ position begin() const { return begin_; }
  __host__ __device__ position end() const { return end_; }

 private:
  position begin_, end_;
};

extern "C" __global__ void count(const char* text, int n, int* spread, int* alone) {
  const char wanted[]{'a', 'e', 'i'};
  const auto is_wanted = [&](char c) { return std::find(wanted, wanted + 3, c) != wanted + 3; };
  for (int i : strided<int>(blockIdx.x * blockDim.x + threadIdx.x, n, gridDim.x * blockDim.x))
    if (is_wanted(text[i])) atomicAdd(spread, 1);
  if (blockIdx.x + threadIdx.x == 0) {
    alone[0] = thrust::count_if(thrust::device, text, text + n, is_wanted);
    alone[1] = std::count(text, text + n, 'e');
    alone[2] = std::is_same<std::iterator_traits<const char*>::value_type, char>::value;
  }
}

// Vectors as NVIDIA's samples compute with them.
typedef unsigned int uint;
typedef struct { float4 row[3]; } Camera;
__constant__ Camera camera;

extern "C" __global__ void rays(const float3* at, float4* out, uint* packed, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float3 p = at[i], way = normalize(p - make_float3(0.5f));
  const float3 seen = make_float3(dot(p, make_float3(camera.row[0])), dot(make_float4(p, 1.0f), camera.row[1]),
                                  length(cross(p, make_float3(camera.row[2]))));
  const float4 color = lerp(make_float4(seen, 1.0f), make_float4(reflect(way, make_float3(0, 0, 1)), 0.0f), 0.25f);
  out[i] = clamp(color, 0.0f, 1.0f) * 255.0f;
  const int3 cell = abs(make_int3(floorf(p * 10.0f) - 5.0f));
  packed[i] = (uint)cell.x | (uint)cell.y << 8 | (uint)max(cell, make_int3(2)).z << 16;
}

// Quasi-random numbers by direction vectors of the caller.
template <class State, class Vectors>
__global__ void quasi(const Vectors* directions, double* out, unsigned int first) {
  State state;
  curand_init(const_cast<Vectors*>(directions)[0], threadIdx.x * 4 + first, &state);
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = curand_uniform_double(&state);
  auto [whole, tail] = std::make_pair(3, 0.5);
  if (out[threadIdx.x * 4] > whole + tail) out[0] = 7;
}

int main(int argc, char** argv) {
  for (std::string name : {"first", "second"}) samples.push_back(name.size());
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, findCudaDevice(argc, (const char**)argv)));
  weigh_all<64>(samples, Options(argv[1]));
  return EXIT_SUCCESS;
}
