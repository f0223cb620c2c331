// A kernel's text becomes a result, from C++: on the CPU, or on the device that
// KASOKU_DEVICE names. An expression of arrays becomes another one.
#include <kasoku/kasoku.h>

#include <cstdio>
#include <vector>

int main() try {
  kasoku::Device& device = kasoku::default_device();
  kasoku::Program program;
  program.text =
      "extern \"C\" __global__ void scale(int n, float a, float* x) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] *= a;\n"
      "}\n";
  kasoku::Function& scale = kasoku::compile(program, device)->function("scale");

  int n = 1000;
  float a = 3;
  std::vector<float> x(n, 2.0f);
  const size_t bytes = n * sizeof(float);
  auto buffer = kasoku::Buffer::allocate(device, bytes);
  kasoku::Stream& stream = device.current_stream();
  device.copy(buffer->memory(), x.data(), bytes, stream);

  void* memory = buffer->memory();
  void* args[] = {&n, &a, &memory};
  kasoku::LaunchShape shape;
  shape.block[0] = 256;
  shape.grid[0] = (n + 255) / 256;
  scale.launch(shape, args, stream);
  device.copy(x.data(), buffer->memory(), bytes, stream);

  std::printf("%s: x[0] = %g, x[%d] = %g\n", device.str().c_str(), x[0], n - 1, x[n - 1]);

  // Arrays wait: the squares and their sum are one kernel, which runs when the value is read.
  using kasoku::Scalar;
  const kasoku::Array row = kasoku::arange(Scalar::of(0), Scalar::of(1), n, kasoku::Dtype::float64, device);
  const kasoku::Array sum = kasoku::reduce(kasoku::ReduceOp::sum, kasoku::apply(kasoku::Op::square, {row}));
  const kasoku::Array here = kasoku::to_device(sum, kasoku::device("cpu"));
  const double total = *static_cast<const double*>(here.data_for_read());
  std::printf("sum of squares below %d: %g\n", n, total);
  return x[0] == 6 && x[n - 1] == 6 && total == 332833500 ? 0 : 1;
} catch (const kasoku::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
