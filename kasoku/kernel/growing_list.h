/// \file kasoku/kernel/growing_list.h
/// A list that only grows and is read without a lock: what was compiled, by what it was
/// compiled for.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace kasoku {

/// Values stay where they are until the list goes. Lists are short (devices, classes of
/// dtypes and layouts), so a look-up is a walk.
template <class Key, class Value>
class GrowingList {
 public:
  GrowingList() = default;
  GrowingList(const GrowingList&) = delete;
  GrowingList& operator=(const GrowingList&) = delete;
  ~GrowingList() {
    for (Node* node = head_.load(); node;) delete std::exchange(node, node->next);
  }

  Value* find(const Key& key) const {
    for (Node* node = head_.load(std::memory_order_acquire); node; node = node->next)
      if (node->key == key) return &node->value;
    return nullptr;
  }

  template <class F>
  void for_each(F&& f) const {
    for (Node* node = head_.load(std::memory_order_acquire); node; node = node->next)
      f(node->value);
  }

  /// make() runs at most once for a key, however many threads ask; if it throws, the next
  /// one tries again.
  template <class Make>
  Value& find_or(const Key& key, Make&& make) {
    if (Value* value = find(key)) return *value;
    std::lock_guard lock(mutex_);
    if (Value* value = find(key)) return *value;
    Node* node = new Node{key, make(), head_.load(std::memory_order_relaxed)};
    head_.store(node, std::memory_order_release);
    return node->value;
  }

 private:
  struct Node {
    Key key;
    Value value;
    Node* next;
  };
  std::atomic<Node*> head_{nullptr};
  std::mutex mutex_;
};

}  // namespace kasoku
