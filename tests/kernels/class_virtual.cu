class Shape {
 public:
  __device__ explicit Shape(float s) : size_(s) {}
  __device__ float area() const { return size_ * size_ * factor(); }
 protected:
  __device__ virtual float factor() const { return 1.0f; }
  float size_;
};
class Circle : public Shape {
 public:
  __device__ explicit Circle(float r) : Shape(r) {}
 protected:
  __device__ float factor() const override { return 3.0f; }
};
extern "C" __global__ void areas(const float* x, const int* kind, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Shape square(x[i]);
  Circle circle(x[i]);
  const Shape* s = kind[i] ? static_cast<const Shape*>(&circle) : &square;
  out[i] = s->area();
}
