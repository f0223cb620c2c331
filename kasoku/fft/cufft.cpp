#include "kasoku/fft/cufft.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/cuda/libraries.h"
#include "kasoku/device/stream.h"

#include <cstdlib>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

namespace kasoku::fft {
namespace {

constexpr cuda::LibraryWords words{"there are no Fourier transforms on CUDA", "cuFFT", "libcufft.so.12, .11 or .10", "pip install nvidia-cufft, or CUDA_HOME=/path/to/cuda"};

struct Functions {
  int (*create)(int* plan);
  int (*destroy)(int plan);
  int (*auto_allocation)(int plan, int value);
  int (*make)(int plan, int rank, long long* n, long long* from_embed, long long from_step, long long from_next, long long* to_embed, long long to_step,
              long long to_next, int type, long long batch, size_t* work);
  int (*set_stream)(int plan, void* stream);
  int (*set_work)(int plan, void* work);
  int (*complex_run[2])(int plan, void* from, void* to, int direction);
  int (*to_half_run[2])(int plan, void* from, void* to);
  int (*from_half_run[2])(int plan, void* from, void* to);
};

const Functions& library() {
  static const Functions& loaded = [&]() -> const Functions& {
    const int driver = std::atoi(cuda_driver_version().c_str());
    const std::string file = driver == 11   ? cuda::find_library({"libcufft.so.10"})
                             : driver == 12 ? cuda::find_library({"libcufft.so.11", "libcufft.so.10"})
                                            : cuda::find_library({"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"});
    const cuda::Library from(words, file);
    Functions& found = *new Functions{};
    const auto find = [&](auto& function, const char* name) { from.find(function, name); };
    find(found.create, "cufftCreate"), find(found.destroy, "cufftDestroy"), find(found.auto_allocation, "cufftSetAutoAllocation");
    find(found.make, "cufftMakePlanMany64"), find(found.set_stream, "cufftSetStream"), find(found.set_work, "cufftSetWorkArea");
    find(found.complex_run[0], "cufftExecC2C"), find(found.complex_run[1], "cufftExecZ2Z");
    find(found.to_half_run[0], "cufftExecR2C"), find(found.to_half_run[1], "cufftExecD2Z");
    find(found.from_half_run[0], "cufftExecC2R"), find(found.from_half_run[1], "cufftExecZ2D");
    return found;
  }();
  return loaded;
}

void check(int status, const char* what) {
  constexpr const char* reasons[] = {"", "the plan is not one", "the device has too little memory", "the type is not one", "a value is not one", "an internal error",
                                     "the kernel failed", "the library did not start", "the size is not supported", "the data is not aligned"};
  if (status == 2) throw Error(ErrorKind::memory, std::string("cuFFT could not ") + what).why(reasons[2]);
  if (status) throw Error(ErrorKind::device, std::string("cuFFT could not ") + what).why(status < 10 ? reasons[status] : "status " + std::to_string(status));
}

/// cufftType, by kind and precision.
constexpr int types[3][2] = {{0x29, 0x69}, {0x2a, 0x6a}, {0x2c, 0x6c}};

/// What makes a plan.
struct Key {
  Device* device;
  Kind kind;
  bool is_wide;
  std::vector<long long> lengths;
  long long batch;
  long long to_next;  ///< elements from one result to the next, where there is something between them; else 0
  bool operator==(const Key&) const = default;
};

/// A plan has no memory of its own; who uses it holds its mutex.
struct Plan {
  explicit Plan(const Key& key) {
    check(library().create(&handle), "start");
    std::vector<long long> lengths = key.lengths;
    int status = library().auto_allocation(handle, 0);
    long long* const embed = key.to_next ? lengths.data() : nullptr;  // without which the distances are not looked at
    if (!status)
      status = library().make(handle, static_cast<int>(lengths.size()), lengths.data(), embed, 1, lengths.back(), embed, 1, key.to_next, types[static_cast<int>(key.kind)][key.is_wide], key.batch, &work_bytes);
    if (status) {
      library().destroy(handle);
      check(status, "plan a transform");
    }
  }
  ~Plan() { library().destroy(handle); }
  Plan(const Plan&) = delete;

  std::mutex mutex;
  int handle = 0;
  size_t work_bytes = 0;
  uintptr_t stream = 0;  ///< its own now
};

/// The plans that were used last.
std::shared_ptr<Plan> plan_for(const Key& key) {
  constexpr size_t most = 64;
  static std::mutex& mutex = *new std::mutex;
  static auto& plans = *new std::list<std::pair<Key, std::shared_ptr<Plan>>>;
  std::lock_guard lock(mutex);
  for (auto at = plans.begin(); at != plans.end(); ++at)
    if (at->first == key) {
      plans.splice(plans.begin(), plans, at);
      return at->second;
    }
  plans.emplace_front(key, std::make_shared<Plan>(key));
  if (plans.size() > most) plans.pop_back();
  return plans.front().second;
}

}  // namespace

void cufft_transform(const Transform& p, Device& device, Stream& stream) {
  const cuda::ContextScope scope(static_cast<cuda::CudaDevice&>(device));
  Key key{&device, p.kind, p.real == Dtype::float64, {}, 1, 0};
  const size_t first = p.lengths.size() - p.axes.size();
  for (size_t d = 0; d < p.lengths.size(); ++d)
    if (d < first) key.batch *= p.lengths[d];
    else key.lengths.push_back(p.lengths[d]);
  if (p.kind == Kind::to_half && p.axes.size() == 1) {
    const auto itemsize = static_cast<int64_t>(info(p.real).size) * 2;
    for (size_t d = 0; d < first; ++d)
      if (p.lengths[d] > 1) key.to_next = p.to_strides[d] / itemsize;  // the innermost
    if (key.to_next == p.lengths.back() / 2 + 1) key.to_next = 0;
  }
  const std::shared_ptr<Plan> plan = plan_for(key);
  void *const work = plan->work_bytes ? device.allocate(plan->work_bytes, stream) : nullptr, *const from = const_cast<void*>(p.from);
  int status = 0;
  {
    std::lock_guard lock(plan->mutex);
    if (std::exchange(plan->stream, stream.handle()) != stream.handle()) status = library().set_stream(plan->handle, reinterpret_cast<void*>(stream.handle()));
    if (!status && work) status = library().set_work(plan->handle, work);
    if (!status)
      status = p.kind == Kind::complex   ? library().complex_run[key.is_wide](plan->handle, from, p.to, p.is_forward ? -1 : 1)
               : p.kind == Kind::to_half ? library().to_half_run[key.is_wide](plan->handle, from, p.to)
                                         : library().from_half_run[key.is_wide](plan->handle, from, p.to);
  }
  device.deallocate(work, plan->work_bytes, stream);
  check(status, "transform");
}

}  // namespace kasoku::fft
