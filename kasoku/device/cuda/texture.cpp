/// Textures and surfaces of a GPU: the driver's own.
#include "kasoku/device/texture.h"

#include "kasoku/device/cuda/device.h"
#include "kasoku/device/cuda/stream.h"

#include <algorithm>

namespace kasoku::cuda {
namespace {

/// CUarray_format.
int format_of(const TextureDescription& x) {
  const int size = x.bytes == 1 ? 0 : x.bytes == 2 ? 1 : 2;
  return x.kind == 'f' ? (x.bytes == 2 ? 0x10 : 0x20) : x.kind == 'u' ? 1 + size : 8 + size;
}

/// How many elements along an axis; `missing` for one that is not there.
size_t length(const TextureDescription& x, int axis, size_t missing) { return axis < x.axes ? static_cast<size_t>(x.extent[axis]) : missing; }

class Memory final : public TextureMemory {
 public:
  Memory(CudaDevice& device, const TextureDescription& x) : device_(device), row_bytes_(length(x, 0, 1) * x.bytes * x.channels), rows_(length(x, 1, 1)), layers_(length(x, 2, 1)) {
    const ContextScope scope(device);
    const ArrayDescription wanted{.width = length(x, 0, 0), .height = length(x, 1, 0), .depth = length(x, 2, 0), .format = format_of(x), .channels = x.channels};
    check(device.driver().cuArray3DCreate(&array, &wanted), [&] { return "allocate a texture of " + std::to_string(row_bytes_ * rows_ * layers_) + " bytes on " + device.str(); });
  }
  ~Memory() override {
    const ContextScope scope(device_);
    device_.driver().cuCtxSynchronize();  // a kernel may be reading it
    device_.driver().cuArrayDestroy(array);
  }

  void copy_from(const void* memory, Stream& stream) override { copy(of_memory(memory), of_array(), stream); }
  void copy_to(void* memory, Stream& stream) override { copy(of_array(), of_memory(memory), stream); }
  uintptr_t handle() const override { return reinterpret_cast<uintptr_t>(array); }

  CUarray array = nullptr;

 private:
  Copy3d::Side of_array() const { return {.memory_type = 3, .array = array}; }
  Copy3d::Side of_memory(const void* memory) const { return {.memory_type = 2, .device = reinterpret_cast<CUdeviceptr>(memory), .pitch = row_bytes_, .height = rows_}; }
  void copy(const Copy3d::Side& from, const Copy3d::Side& to, Stream& stream) {
    const ContextScope scope(device_);
    const Copy3d wanted{.from = from, .to = to, .width_in_bytes = row_bytes_, .height = rows_, .depth = layers_};
    check(device_.driver().cuMemcpy3DAsync(&wanted, reinterpret_cast<CUstream>(stream.handle())), [&] { return "copy a texture's elements on " + device_.str(); });
  }

  CudaDevice& device_;
  const size_t row_bytes_, rows_, layers_;
};

class Object final : public TextureObject {
 public:
  using Destroy = CUresult (*)(uint64_t);
  Object(CudaDevice& device, std::shared_ptr<TextureMemory> memory, Destroy destroy) : device_(device), memory_(std::move(memory)), destroy_(destroy) {}
  ~Object() override {
    const ContextScope scope(device_);
    device_.driver().cuCtxSynchronize();  // a kernel may be reading it
    if (number) destroy_(number);
  }
  uint64_t handle() const override { return number; }

  uint64_t number = 0;

 private:
  CudaDevice& device_;
  const std::shared_ptr<TextureMemory> memory_;
  const Destroy destroy_;
};

TextureResource resource_of(const TextureMemory& memory) {
  TextureResource resource;
  resource.array = static_cast<const Memory&>(memory).array;
  return resource;
}

TextureResource resource_of(const TextureDescription& x) {
  TextureResource resource;
  const auto memory = reinterpret_cast<CUdeviceptr>(x.data);
  if (x.axes == 1) {
    resource.type = 2;
    resource.row = {memory, format_of(x), x.channels, length(x, 0, 0) * x.bytes * x.channels};
  } else {
    resource.type = 3;
    resource.rows = {memory, format_of(x), x.channels, length(x, 0, 0), length(x, 1, 0), static_cast<size_t>(x.pitch)};
  }
  return resource;
}

}  // namespace

std::shared_ptr<TextureMemory> CudaDevice::make_texture_memory(const TextureDescription& description) {
  if (!driver().cuArray3DCreate) throw Error(ErrorKind::unsupported, "the driver of " + str() + " has no textures");
  return std::make_shared<Memory>(*this, description);
}

std::unique_ptr<TextureObject> CudaDevice::make_texture(const TextureDescription& x, const std::shared_ptr<TextureMemory>& memory) {
  const ContextScope scope(*this);
  auto object = std::make_unique<Object>(*this, memory, driver().cuTexObjectDestroy);
  TextureReading reading{.filter = x.is_linear, .flags = (x.is_unit || x.kind == 'f' ? 0u : 1u) | (x.is_normalized ? 2u : 0u)};
  std::copy_n(x.address, 3, reading.address);
  const TextureResource resource = memory ? resource_of(*memory) : resource_of(x);
  check(driver().cuTexObjectCreate(&object->number, &resource, &reading, nullptr), [&] { return "make a texture on " + str(); });
  return object;
}

std::unique_ptr<TextureObject> CudaDevice::make_surface(const std::shared_ptr<TextureMemory>& memory) {
  const ContextScope scope(*this);
  auto object = std::make_unique<Object>(*this, memory, driver().cuSurfObjectDestroy);
  const TextureResource resource = resource_of(*memory);
  check(driver().cuSurfObjectCreate(&object->number, &resource), [&] { return "make a surface on " + str(); });
  return object;
}

}  // namespace kasoku::cuda
