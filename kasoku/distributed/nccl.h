/// \file kasoku/distributed/nccl.h
/// Processes that each have a GPU and compute together: NVIDIA's NCCL, found at run time.
///
/// What a call is to do is the same in all processes, in the same order. Calls return when the work is in the stream.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/device/device.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace kasoku::distributed {

enum class Reduction : uint8_t { sum, prod, max, min };

/// One process's place among `size` of them. Pointers are memory of its device, elements side by side.
class NcclGroup {
 public:
  /// The file of the library; empty if there is none.
  static std::string library_file();
  /// The bytes that identify a new group. One process makes them and sends them to the others, and then all make the
  /// group.
  static std::string make_id();
  /// Whether NCCL combines elements of this type by itself.
  static bool can_reduce(Dtype dtype, Reduction reduction);

  /// Waits until all `size` processes are here.
  NcclGroup(Device& device, std::string_view id, int rank, int size);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  Device& device() const { return device_; }

  void all_reduce(const void* from, void* to, size_t count, Dtype dtype, Reduction reduction);
  /// `to` has room for the `bytes` of each, one behind the other.
  void all_gather(const void* from, void* to, size_t bytes);
  /// Each gets its own of `size` parts of `count` elements.
  void reduce_scatter(const void* from, void* to, size_t count, Dtype dtype, Reduction reduction);
  void broadcast(const void* from, void* to, size_t bytes, int root);
  void send(const void* from, size_t bytes, int rank);
  void receive(void* to, size_t bytes, int rank);

 private:
  Device& device_;
  void* communicator_ = nullptr;
};

}  // namespace kasoku::distributed
