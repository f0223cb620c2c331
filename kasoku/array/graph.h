/// \file kasoku/array/graph.h
/// The graph of array expressions.
///
/// A Node is an array's value: computed (it has storage) or still to be computed
/// (it has an expression). Arrays are affine views of Nodes, and so are the
/// inputs of an expression: offset and strides in bytes over the C-order layout
/// that the node has, or will have, in memory. A Node is computed at most once;
/// its expression never changes, and is dropped when its value is there. (One element
/// whose value the host has read without storing it becomes a constant.)
#pragma once

#include "kasoku/array/scalar.h"
#include "kasoku/base/dtype.h"
#include "kasoku/base/extents.h"
#include "kasoku/base/small_mutex.h"
#include "kasoku/codegen/group.h"
#include "kasoku/device/buffer.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace kasoku {

using Shape = Extents;
using Strides = Extents;

struct Node;
using NodePtr = std::shared_ptr<Node>;

struct View {
  Shape shape;
  Strides strides;     ///< bytes
  int64_t offset = 0;  ///< bytes

  bool operator==(const View&) const = default;
};

/// The memory of a node (and of other leaves over the same buffer), and the
/// pending nodes that read it: they run before anybody writes it.
class Storage {
 public:
  Buffer* buffer = nullptr;  ///< null until the node is computed, or is about to be where an input of it lies; then it never changes

  /// New memory, in one piece with its storage.
  static std::shared_ptr<Storage> allocate(Device& device, size_t bytes);
  /// The storage of a buffer: the same one however often it is asked for, whoever made the buffer.
  static std::shared_ptr<Storage> of(const std::shared_ptr<Buffer>& buffer);
  /// Memory that nobody else has yet becomes that of a node that is computed.
  static void hold(const std::shared_ptr<Storage>& storage, std::shared_ptr<Buffer> memory);
  static std::shared_ptr<Buffer> buffer_of(const std::shared_ptr<Storage>& storage);
  /// Whether this is the only one that keeps the buffer.
  bool is_only_owner() const { return !owned_ || owned_.use_count() == 1; }

  std::atomic<bool> is_kept{false};  ///< the array of all its elements was made read-only: no view becomes writable

  /// Storages whose memory others can write share one list of readers, because it may be the same memory.
  void add_reader(const NodePtr& node) { (is_shared() ? readers_of_shared() : readers_).add(node); }
  bool has_readers() { return readers_.any() || (is_shared() && readers_of_shared().any()); }
  /// The pending readers, and forgets them.
  std::vector<NodePtr> take_readers();

 protected:
  void have(Buffer& memory) {
    if (buffer == &memory) return;
    buffer = &memory;
    has_buffer_.store(true, std::memory_order_release);
  }

 private:
  class Readers {
   public:
    void add(const NodePtr& node);
    /// Whether one is pending; of the others some are forgotten.
    bool any() { return any_.load(std::memory_order_acquire) && find_pending(); }
    /// Moves readers to `pending`: those that read `buffer`, or all if it is null.
    void take(std::vector<NodePtr>& pending, const Buffer* buffer);

   private:
    bool find_pending();

    std::vector<std::weak_ptr<Node>> nodes_;
    SmallMutex mutex_;
    uint32_t prune_at_ = 64;
    std::atomic<bool> any_{false};
  };
  static Readers& readers_of_shared();
  /// May be asked while another thread computes the node; other members only when the node is known to be computed.
  bool is_shared() const { return has_buffer_.load(std::memory_order_acquire) && buffer->is_shared.load(std::memory_order_relaxed); }

  std::atomic<bool> has_buffer_{false};
  std::shared_ptr<Buffer> owned_;  ///< null if the buffer is a part of this
  Readers readers_;
};

/// Element i of the array is a pure function of these and of first + i.
struct RandomLeaf {
  Distribution distribution;
  uint64_t seed;
  uint32_t stream;
  uint32_t draw;
  int64_t low = 0;      ///< integers: low + [0, range)
  uint64_t range = 0;   ///< 0: all 2^64
};

struct Input {
  NodePtr node;
  View view;  ///< over the node, in the shape of what reads it
};

struct Expression {
  enum Kind : uint8_t { constant, arange, random, elementwise, cast, gather, reduce, scan };
  Kind kind;
  Op op{};                         ///< elementwise; scan: what joins two elements
  Dtype compute{};                 ///< elementwise, reduce, scan: operands are converted to it first
  ReduceOp reduce_op{};
  std::vector<uint8_t> is_reduced; ///< reduce, scan: per axis of the input
  Scalar start, step;              ///< constant: start; arange: start + i * step
  RandomLeaf random_leaf{};
  /// gather: an array, and the bytes from where its view is to the element that is taken.
  std::vector<Input> inputs;
  /// For the bounds on pending work.
  int n_pending = 1;               ///< operations that may have to run, at most
  int depth = 1;
};

struct Node {
  Node(Shape shape, Dtype dtype, size_t itemsize, Device& device, std::shared_ptr<Storage> storage)
      : shape(std::move(shape)), itemsize(itemsize), dtype(dtype), device(&device),
        storage(std::move(storage)) {}

  const Shape shape;
  const size_t itemsize;
  const Dtype dtype;
  SmallMutex mutex;                  ///< held while it is computed
  Device* const device;

  /// Null once computed; then storage->buffer is there.
  std::atomic<std::shared_ptr<const Expression>> expression;
  const std::shared_ptr<Storage> storage;

  std::atomic<int> n_arrays{0};      ///< Arrays that show it, but for views that were made when it was computed
  std::atomic<bool> had_views{false};  ///< whether there ever was such a view
  std::atomic<int> times_fused{0};   ///< groups that computed it without storing it

  std::atomic<bool> is_pending{false};  ///< false once the expression is dropped
  std::atomic<bool> has_failed{false};  ///< computing it threw: who reads it tries again, who waits for all that is pending does not
  bool reads_shared = false;            ///< its expression reads memory that others can write; never changes
  static std::atomic<bool> any_reads_shared;  ///< whether one ever did: mostly there is nothing to look for
  bool is_done() const { return !is_pending.load(std::memory_order_acquire); }
  int64_t size() const;
  /// Whether no second array shows it, for one that does.
  bool is_of_one_array() const { return n_arrays.load() == 1 && !had_views.load(); }
};

/// A node that shows memory.
NodePtr make_leaf(std::shared_ptr<Storage> storage, const Shape& shape, Dtype dtype, size_t itemsize);
/// A pending node; runs at once where nothing may stay pending: eager mode and an input that
/// others can write (unless the caller settles), too much pending work.
NodePtr make_node(const Shape& shape, Dtype dtype, Device& device, Expression expression);

/// Eager mode: of this thread by a scope, else of the process (KASOKU_EAGER).
bool is_eager();
/// Sets eager mode for the process; returns what it was.
bool set_eager(bool value);
/// Leaves it to the caller, who knows where a statement ends, to compute results that may not stay pending: those of
/// eager mode, or from memory that others can write. Python does so. Otherwise each operation computes its own.
void settled_by_caller();
class EagerScope {
 public:
  explicit EagerScope(bool value);
  ~EagerScope();

 private:
  int previous_;
};

/// Computes what is pending in all threads' arrays (on `device` if given).
void run_pending(Device* device = nullptr);

int64_t product(const Shape& shape);

}  // namespace kasoku
