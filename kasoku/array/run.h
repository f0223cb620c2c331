/// \file kasoku/array/run.h
/// A fused group's launch: its compiled kernel by one structural hash, its
/// parameters from where the operands lie.
#pragma once

#include "kasoku/array/fuse.h"
#include "kasoku/base/hash.h"
#include "kasoku/codegen/reduce_text.h"

#include <atomic>
#include <string>

namespace kasoku {

class Function;
struct Program;

/// The compiled kernel of a group; it stays for good.
Function& group_kernel(const Fused& fused, Device& device);
Program group_program(const Group& group);
enum class KernelState : uint8_t { unknown, seen, wanted, failed, ready };
/// How far this process is with the kernel of a group.
KernelState kernel_state(const Fused& fused, Device& device);
/// Whether a group that can do without its kernel does so this time: it has none yet. When it is met again, the kernel is
/// compiled in the background; if that failed, it is to be compiled as any other's, which says why.
bool does_without_kernel(const Fused& fused, Device& device);
/// While it stands, groups of this thread run only by kernels that are there or in the cache. The others are compiled in the
/// background; from the first of them on nothing is launched, and what was computed is of no use.
class KernelsThatAreThere {
 public:
  KernelsThatAreThere();
  ~KernelsThatAreThere();
  bool were_enough() const;
  /// Whether one does in this thread.
  static bool stand();
};
/// "map load:float32 sin:float32 over (10,) on cpu".
std::string summary(const Fused& fused, const Device& device);
/// A number as a kernel holds it: of the register type of `dtype`, a 16-bit float rounded. Takes 16 bytes.
void store_rounded(const Scalar& value, Dtype dtype, void* to);

/// Whether kernels of groups are kept by their structure too, see compile/compile.h. For the tool that makes a pack.
extern std::atomic<bool> keeps_groups;
/// The hash of all that the group's kernel text depends on: groups with one hash share a kernel.
Hash128 structure(const Group& group, const Device& device);

/// Adds what operand_parameters() of codegen/emit.h declares: addresses, numbers of 64 bits, and numbers of a register type.
template <class Parameters>
void add_operands(Parameters& p, const Fused& fused, Stream& stream);

/// Computes an elementwise group into `buffer`.
void run_map(const Fused& fused, Buffer& buffer);

/// Stores the elements of a scattering group that was made for `to`.
void run_scatter(const Fused& fused, const Placed& to, Buffer& buffer);

/// Results (and positions, of argmin and argmax) lie as [outputs][chunks].
void run_reduce(const Fused& fused, const Chunks& part, void* results, void* positions, Device& device);

/// A scanning group: totals of chunks, or elements after what is before each chunk, if there are several; in one trip words that are zero.
void run_scan(const Fused& fused, Buffer& to, const Buffer* before);

/// Outputs and reduced elements of a group that reduces; rows and their elements of one that scans.
int64_t outputs(const Fused& fused);
int64_t reduced_length(const Fused& fused);

/// (k0, k1) of a random leaf.
struct RandomKey {
  uint32_t k0, k1;
};
RandomKey random_key(uint64_t seed, uint32_t stream);

template <class Parameters>
void add_operands(Parameters& p, const Fused& fused, Stream& stream) {
  const Group& group = fused.group;
  const Walk* walk = fused.space.walks.data() + group.walks_result();
  for (const NodePtr& load : fused.loads) {
    Buffer& buffer = *load->storage->buffer;
    buffer.use_on(stream);
    p.add(static_cast<const char*>(buffer.memory()) + walk++->offset);
  }
  for (size_t k = 0; k < group.scalars.size(); ++k)
    if (!group.scalars[k].fixed) p.add_rounded(fused.scalars[k], group.scalars[k].dtype);
  for (size_t k = 0; k < group.aranges.size(); ++k) {
    p.add(fused.aranges[k]->start, group.aranges[k]);
    p.add(fused.aranges[k]->step, group.aranges[k]);
  }
  for (const Fused::Random& leaf : fused.randoms) {
    const RandomLeaf& random = leaf.expression->random_leaf;
    const RandomKey key = random_key(random.seed, random.stream);
    p.add(int64_t{key.k0});
    p.add(int64_t{key.k1});
    p.add(int64_t{random.draw});
    if (random.distribution == Distribution::integers) {
      p.add(random.low);
      p.add(static_cast<int64_t>(random.range));
    }
  }
}

}  // namespace kasoku
