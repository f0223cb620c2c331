#include "kasoku/array/graph.h"

#include "kasoku/array/array.h"
#include "kasoku/array/checked_bytes.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/record.h"
#include "kasoku/base/env.h"
#include "kasoku/base/recycled.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace kasoku {

namespace {

/// More pending operations than this, and the newest runs: it bounds the size of
/// kernels, the depth of recursion and the memory that inputs hold.
constexpr int max_pending = 48;
/// A pending array holds about a kilobyte. Where as many are pending, those whose values are no larger run.
constexpr size_t many_pending = 4096;
constexpr int64_t few_bytes = 1024;

struct Shard {
  std::mutex mutex;
  std::vector<std::weak_ptr<Node>> nodes;
  size_t prune_at = 256;
};

/// Pending nodes of all threads, for run_pending().
std::array<Shard, 16>& registry() {
  static auto* shards = new std::array<Shard, 16>;
  return *shards;
}

/// At which length a list of which `left` stayed is looked through again: soon, however long it was once, since what is gone
/// holds its memory until then.
size_t next_look(size_t left, size_t least_new) {
  constexpr size_t most_new = 4 * many_pending;
  return left + std::clamp(left, least_new, most_new);
}

/// Takes out what is computed or gone. What was looked at is dropped by the caller, without the
/// lock: the last reference to an array of somebody else's memory calls its owner.
std::vector<NodePtr> prune(std::vector<std::weak_ptr<Node>>& nodes) {
  std::vector<NodePtr> seen;
  std::erase_if(nodes, [&](const auto& weak) {
    NodePtr pending = weak.lock();
    const bool is_over = !pending || pending->is_done();
    if (pending) seen.push_back(std::move(pending));
    return is_over;
  });
  return seen;
}

/// Whether a pending node reads memory that lies, as a whole or in part, in the buffer.
bool reads(const Node& node, const Buffer& buffer) {
  const auto expression = node.expression.load();
  const auto end = [](const Buffer& x) { return static_cast<const char*>(x.memory()) + x.bytes(); };
  return expression && std::ranges::any_of(expression->inputs, [&](const Input& input) {
           if (!input.node->is_done()) return false;
           const Buffer& read = *input.node->storage->buffer;
           return &read.device() == &buffer.device() && read.memory() < end(buffer) && buffer.memory() < end(read);
         });
}

void list_pending(const NodePtr& node) {
  std::vector<NodePtr> seen;
  static thread_local const size_t mine = std::hash<std::thread::id>{}(std::this_thread::get_id());
  Shard& shard = registry()[mine % registry().size()];
  {
    std::lock_guard lock(shard.mutex);
    if (shard.nodes.size() >= shard.prune_at) {
      seen = prune(shard.nodes);
      shard.prune_at = next_look(shard.nodes.size(), 256);
    }
    shard.nodes.push_back(node);
    if (shard.nodes.size() < many_pending) return;
  }
  for (const NodePtr& each : seen)
    if (each->n_arrays.load() > 0 && each->size() * static_cast<int64_t>(each->itemsize) <= few_bytes) evaluate(each);
}

std::atomic<bool>& process_is_eager() {
  static std::atomic<bool> value{env_flag(Env::KASOKU_EAGER)};
  return value;
}

thread_local int eager_scope __attribute__((tls_model("initial-exec"))) = -1;  // each operation asks
std::atomic<bool> caller_settles{false};

}  // namespace

std::atomic<bool> Node::any_reads_shared{false};

std::shared_ptr<Storage> Storage::allocate(Device& device, size_t bytes) {
  struct Whole : Storage {
    Whole(Device& device, size_t bytes) : own(device, bytes) {
      have(own);
      own.whole = static_cast<Storage*>(this);
    }
    Buffer own;
  };
  return std::allocate_shared<Whole>(Recycled<Whole>(), device, bytes);
}

std::shared_ptr<Storage> Storage::of(const std::shared_ptr<Buffer>& buffer) {
  if (buffer->whole) return {buffer, static_cast<Storage*>(buffer->whole)};
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (auto known = std::static_pointer_cast<Storage>(buffer->storage.lock())) return known;
  auto storage = std::allocate_shared<Storage>(Recycled<Storage>());
  hold(storage, buffer);
  return storage;
}

void Storage::hold(const std::shared_ptr<Storage>& storage, std::shared_ptr<Buffer> memory) {
  storage->have(*memory);
  storage->buffer->storage = storage;
  storage->buffer->whole = nullptr;  // it may have been a part of another's
  storage->owned_ = std::move(memory);
}

std::shared_ptr<Buffer> Storage::buffer_of(const std::shared_ptr<Storage>& storage) {
  return storage->owned_ ? storage->owned_ : std::shared_ptr<Buffer>(storage, storage->buffer);
}

Storage::Readers& Storage::readers_of_shared() {
  static auto* const readers = new Readers;
  return *readers;
}

void Storage::Readers::add(const NodePtr& node) {
  std::vector<NodePtr> seen;
  std::lock_guard lock(mutex_);
  if (nodes_.size() >= prune_at_) {
    seen = prune(nodes_);
    prune_at_ = static_cast<uint32_t>(next_look(nodes_.size(), 64));
  }
  nodes_.push_back(node);
  any_.store(true, std::memory_order_release);
}

bool Storage::Readers::find_pending() {
  std::vector<NodePtr> seen;  // let go of when the lock is
  std::lock_guard lock(mutex_);
  while (!nodes_.empty()) {
    seen.push_back(nodes_.back().lock());
    if (seen.back() && !seen.back()->is_done()) return true;
    nodes_.pop_back();
  }
  any_.store(false, std::memory_order_release);
  return false;
}

void Storage::Readers::take(std::vector<NodePtr>& pending, const Buffer* buffer) {
  if (!any_.load(std::memory_order_acquire)) return;
  std::vector<NodePtr> done;
  std::lock_guard lock(mutex_);
  std::erase_if(nodes_, [&](const std::weak_ptr<Node>& weak) {
    NodePtr reader = weak.lock();
    if (!reader) return true;
    const bool is_over = reader->is_done(), is_taken = is_over || !buffer || reads(*reader, *buffer);
    (is_taken && !is_over ? pending : done).push_back(std::move(reader));
    return is_taken;
  });
  any_.store(!nodes_.empty(), std::memory_order_release);
}

std::vector<NodePtr> Storage::take_readers() {
  std::vector<NodePtr> pending;
  readers_.take(pending, nullptr);
  if (is_shared()) readers_of_shared().take(pending, buffer);
  return pending;
}

int64_t product(const Shape& shape) {
  int64_t n = 1;
  for (int64_t length : shape) n *= length;
  return n;
}

int64_t Node::size() const { return product(shape); }

NodePtr make_leaf(std::shared_ptr<Storage> storage, const Shape& shape, Dtype dtype,
                  size_t itemsize) {
  Device& device = storage->buffer->device();
  return std::allocate_shared<Node>(Recycled<Node>(), shape, dtype, itemsize, device, std::move(storage));
}

namespace {

/// Of a number among operands, which no array shows and nobody writes to.
bool is_number(const Node& node) {
  if (node.n_arrays.load(std::memory_order_relaxed) > 0 || node.is_done() || !node.shape.empty()) return false;
  const auto expression = node.expression.load();
  return expression && expression->kind == Expression::constant;
}

}  // namespace

NodePtr make_node(const Shape& shape, Dtype dtype, Device& device, Expression expression) {
  (void)checked_bytes(shape, info(dtype).size);
  auto node = std::allocate_shared<Node>(Recycled<Node>(), shape, dtype, info(dtype).size, device,
                                         std::allocate_shared<Storage>(Recycled<Storage>()));
  Recording::note(*node);
  bool run_now = is_eager() && expression.kind != Expression::constant;
  for (const Input& input : expression.inputs) {
    must_be_together("an expression", device, *input.node->device);  // a kernel that met the other's memory would end the process's use of a GPU
    if (const auto pending = input.node->expression.load()) {
      expression.n_pending = std::min(expression.n_pending + pending->n_pending, 1 << 20);
      expression.depth = std::max(expression.depth, pending->depth + 1);
      node->reads_shared |= input.node->reads_shared;
    } else if (input.node->is_done()) {
      node->reads_shared |= input.node->storage->buffer->is_shared.load(std::memory_order_relaxed);
    }
  }
  if (node->reads_shared) Node::any_reads_shared = true;
  run_now |= node->reads_shared;  // somebody else may write it at any time
  run_now &= !caller_settles.load(std::memory_order_relaxed);
  run_now |= expression.n_pending > max_pending;
  const auto shared = std::allocate_shared<const Expression>(Recycled<Expression>(), std::move(expression));
  node->expression.store(shared);
  node->is_pending.store(true, std::memory_order_release);
  if (run_now) {
    evaluate(node);
    return node;
  }
  for (const Input& input : shared->inputs)
    if (!is_number(*input.node)) input.node->storage->add_reader(node);
  if (!shared->inputs.empty()) list_pending(node);
  return node;
}

bool is_eager() { return eager_scope >= 0 ? eager_scope != 0 : process_is_eager().load(); }

bool set_eager(bool value) { return process_is_eager().exchange(value); }
void settled_by_caller() { caller_settles = true; }

EagerScope::EagerScope(bool value) : previous_(eager_scope) { eager_scope = value; }
EagerScope::~EagerScope() { eager_scope = previous_; }

void run_pending(Device* device) {
  std::exception_ptr first_error;
  for (Shard& shard : registry()) {
    std::vector<NodePtr> pending, others;
    {
      std::lock_guard lock(shard.mutex);
      for (const auto& weak : shard.nodes)
        if (NodePtr node = weak.lock()) {
          const bool is_wanted = !node->is_done() && !node->has_failed && node->n_arrays.load() > 0 && (!device || node->device == device);
          (is_wanted ? pending : others).push_back(std::move(node));
        }
      std::erase_if(shard.nodes, [](const auto& weak) { return weak.expired(); });
    }
    for (const NodePtr& node : pending) try {
        if (fits_in_budget(*node)) evaluate(node);
      } catch (const Error& error) {
        if (error.kind == ErrorKind::interrupted) throw;
        if (!first_error) first_error = std::current_exception();
      }
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace kasoku
