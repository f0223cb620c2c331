#include "kasoku/distributed/nccl.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/cuda/libraries.h"
#include "kasoku/device/replay.h"
#include "kasoku/device/stream.h"

#include <cstring>
#include <optional>

namespace kasoku::distributed {
namespace {

struct UniqueId {
  char bytes[128];
};

/// The functions of nccl.h; a communicator and a stream are pointers.
struct Nccl {
  int (*get_id)(UniqueId*);
  int (*init)(void** communicator, int size, UniqueId id, int rank);
  int (*destroy)(void* communicator);
  int (*all_reduce)(const void*, void*, size_t, int type, int operation, void* communicator, void* stream);
  int (*all_gather)(const void*, void*, size_t, int type, void* communicator, void* stream);
  int (*reduce_scatter)(const void*, void*, size_t, int type, int operation, void* communicator, void* stream);
  int (*broadcast)(const void*, void*, size_t, int type, int root, void* communicator, void* stream);
  int (*send)(const void*, size_t, int type, int rank, void* communicator, void* stream);
  int (*receive)(void*, size_t, int type, int rank, void* communicator, void* stream);
  const char* (*status_text)(int status);
};

constexpr cuda::LibraryWords words{"GPUs cannot compute together", "NCCL", "libnccl.so.2", "pip install nvidia-nccl-cu12 (or -cu13), or apt install libnccl2"};

/// ncclDataType_t
struct TypeRow {
  Dtype dtype;
  int type;
  int numbers = 1;  ///< of which an element is made
};
constexpr int bytes_type = 0;
constexpr TypeRow type_table[] = {
    {Dtype::int8, 0},    {Dtype::uint8, 1},   {Dtype::int32, 2},   {Dtype::uint32, 3},    {Dtype::int64, 4},
    {Dtype::uint64, 5},  {Dtype::float16, 6}, {Dtype::float32, 7}, {Dtype::float64, 8},   {Dtype::bfloat16, 9},
    {Dtype::complex64, 7, 2}, {Dtype::complex128, 8, 2},
};

const TypeRow* find_type(Dtype dtype) {
  for (const TypeRow& row : type_table)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

const Nccl& load() {
  const cuda::Library library(words, NcclGroup::library_file());
  Nccl& nccl = *new Nccl{};
  library.find(nccl.get_id, "ncclGetUniqueId");
  library.find(nccl.init, "ncclCommInitRank");
  library.find(nccl.destroy, "ncclCommDestroy");
  library.find(nccl.all_reduce, "ncclAllReduce");
  library.find(nccl.all_gather, "ncclAllGather");
  library.find(nccl.reduce_scatter, "ncclReduceScatter");
  library.find(nccl.broadcast, "ncclBroadcast");
  library.find(nccl.send, "ncclSend");
  library.find(nccl.receive, "ncclRecv");
  library.find(nccl.status_text, "ncclGetErrorString");
  return nccl;
}

const Nccl& library() {
  static const Nccl& nccl = load();
  return nccl;
}

void check(int status, const char* what) {
  if (status) throw Error(ErrorKind::device, std::string("NCCL could not ") + what).why(library().status_text(status));
}

void* current_stream(Device& device) { return reinterpret_cast<void*>(device.current_stream().handle()); }

}  // namespace

std::string NcclGroup::library_file() { return cuda::find_library({"libnccl.so.2"}); }

std::string NcclGroup::make_id() {
  UniqueId id;
  check(library().get_id(&id), "make a group's id");
  return {id.bytes, sizeof id.bytes};
}

bool NcclGroup::can_reduce(Dtype dtype, Reduction reduction) {
  const TypeRow* row = find_type(dtype);
  return row && (row->numbers == 1 || reduction == Reduction::sum);
}

NcclGroup::NcclGroup(Device& device, std::string_view id, int rank, int size) : device_(device) {
  UniqueId unique{};
  if (id.size() != sizeof unique.bytes) throw Error(ErrorKind::value, "the id of a group of GPUs has 128 bytes");
  std::memcpy(unique.bytes, id.data(), id.size());
  const Nccl& nccl = library();
  const cuda::ContextScope scope(static_cast<cuda::CudaDevice&>(device));
  check(nccl.init(&communicator_, size, unique, rank), ("join the group with " + device.str()).c_str());
}

NcclGroup::~NcclGroup() {
  if (communicator_) library().destroy(communicator_);
}

// A call of NCCL's with this device's context and the calling thread's stream.
#define KS_NCCL(what, function, ...)                                       \
  refuse_to_record(what);                                                  \
  const cuda::ContextScope scope(static_cast<cuda::CudaDevice&>(device_)); \
  check(library().function(__VA_ARGS__, communicator_, current_stream(device_)), what)

void NcclGroup::all_reduce(const void* from, void* to, size_t count, Dtype dtype, Reduction reduction) {
  const TypeRow& row = *find_type(dtype);
  KS_NCCL("all_reduce", all_reduce, from, to, count * row.numbers, row.type, static_cast<int>(reduction));
}

void NcclGroup::all_gather(const void* from, void* to, size_t bytes) {
  KS_NCCL("all_gather", all_gather, from, to, bytes, bytes_type);
}

void NcclGroup::reduce_scatter(const void* from, void* to, size_t count, Dtype dtype, Reduction reduction) {
  const TypeRow& row = *find_type(dtype);
  KS_NCCL("reduce_scatter", reduce_scatter, from, to, count * row.numbers, row.type, static_cast<int>(reduction));
}

void NcclGroup::broadcast(const void* from, void* to, size_t bytes, int root) {
  KS_NCCL("broadcast", broadcast, from, to, bytes, bytes_type, root);
}

void NcclGroup::send(const void* from, size_t bytes, int rank) { KS_NCCL("send", send, from, bytes, bytes_type, rank); }

void NcclGroup::receive(void* to, size_t bytes, int rank) { KS_NCCL("receive", receive, to, bytes, bytes_type, rank); }

#undef KS_NCCL

}  // namespace kasoku::distributed
