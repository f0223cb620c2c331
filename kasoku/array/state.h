/// \file kasoku/array/state.h
/// What an Array points to, for those that look at arrays of few elements: there a call, a share in
/// the memory or a copy of a shape each take as long as the operation.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/base/spin_lock.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace kasoku {

struct Array::State {
  mutable NodePtr
      node;  ///< guarded by lock; null for a number that nobody wanted a node of yet. The rest never changes
  Device* device;
  const View& view;  ///< Shown's; of numbers there is one
  const size_t itemsize;
  mutable SpinLock lock;
  Dtype dtype;
  bool is_read_only;
  bool is_contiguous;
  mutable bool is_counted = true;  ///< whether it is one of its node's n_arrays; as the node
  mutable std::atomic<bool> stands_for_number{false};  ///< a reduction's result of no axes, which NumPy has a number for
  std::optional<Scalar> number;  ///< a read-only array of no axes, which holds this

  struct Shown;
  State(const Scalar& number, Dtype dtype, Device& device)
      : device(&device), view(of_numbers), itemsize(info(dtype).size), dtype(dtype), is_read_only(true), is_contiguous(true), number(number) {}
  ~State() {
    if (node && is_counted && node.use_count() > 1) node->n_arrays.fetch_sub(1);  // else nobody will ask
  }

  /// A new node is nobody else's yet. Of one that is computed nobody asks how many show it, only whether one alone does: that it
  /// has been more is remembered, and a view that comes and goes counts nothing but its share in the node.
  void count_in() {
    if (node.use_count() == 1) {
      node->n_arrays.store(node->n_arrays.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else if (node->is_done()) {
      is_counted = false;
      if (!node->had_views.load(std::memory_order_relaxed)) node->had_views.store(true, std::memory_order_relaxed);
    } else {
      node->n_arrays.fetch_add(1, std::memory_order_relaxed);
    }
  }
  NodePtr current() const {
    {
      std::lock_guard guard(lock);
      if (node) return node;
    }
    return node_of_number();
  }
  NodePtr node_of_number() const;
  NodePtr computed() const;

 protected:
  State(NodePtr&& of, const View& own, Dtype dtype, size_t itemsize, bool is_read_only, bool is_contiguous)
      : node(std::move(of)), device(node->device), view(own), itemsize(itemsize), dtype(dtype), is_read_only(is_read_only), is_contiguous(is_contiguous) {
    count_in();
  }

 private:
  static const View of_numbers;
};

/// The state of an array with a node. Elements that were read have none of this: there are many, and they have no axes.
struct Array::State::Shown : State {
  const View own;

  Shown(NodePtr of, const View& view, Dtype dtype, size_t itemsize, bool is_read_only, bool is_contiguous)
      : State(std::move(of), own, dtype, itemsize, is_read_only, is_contiguous), own(view) {}
  /// All of a node.
  explicit Shown(NodePtr of) : State(std::move(of), own, of->dtype, of->itemsize, false, true), own{node->shape, contiguous_strides(node->shape, node->itemsize), 0} {}
};

/// The memory of an array that is computed and lies where the host reaches it. While this lives nobody gives the array
/// another, so that no share in it need be taken. Holds nothing where the array is pending, or another thread is at it:
/// it does not wait.
class Held {
 public:
  explicit Held(const Array& array) : state_(array.state()) {
    if (!state_.device->is_host() || !state_.lock.try_lock()) return;
    if (state_.node && state_.node->is_done())
      storage_ = state_.node->storage.get();
    else
      state_.lock.unlock();
  }
  ~Held() {
    if (storage_) state_.lock.unlock();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  explicit operator bool() const { return storage_; }
  Storage& storage() const { return *storage_; }
  Buffer& buffer() const { return *storage_->buffer; }
  /// The first element.
  char* memory() const { return static_cast<char*>(buffer().memory()) + state_.view.offset; }
  /// Whether it may be written at once: nothing that is pending reads it, and no launches are taken down.
  bool may_be_written() const;

 private:
  const Array::State& state_;
  Storage* storage_ = nullptr;
};

}  // namespace kasoku
