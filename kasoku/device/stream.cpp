/// \file kasoku/device/stream.cpp
#include "kasoku/device/stream.h"

#include "kasoku/device/device.h"

#include <array>
#include <memory>

namespace kasoku {

namespace {

/// All that most programs ask, at each launch and allocation.
thread_local size_t n_scopes __attribute__((tls_model("initial-exec"))) = 0;

/// Scopes are few and nest, so a short list searched from its end is a map.
struct Scopes {
  struct Entry {
    const Device* device;
    Stream* stream;
  };
  std::array<Entry, 16> entries{};

  Entry* find(const Device& device) {
    for (size_t i = 0; i < n_scopes; ++i)
      if (entries[i].device == &device) return &entries[i];
    return nullptr;
  }
};

/// Apart: what a thread holds of a library is scarce, and few threads have a scope.
thread_local std::unique_ptr<Scopes> scopes;

Stream* set_scoped_stream(const Device& device, Stream* stream) {
  if (!scopes) scopes = std::make_unique<Scopes>();
  Scopes::Entry* entry = scopes->find(device);
  if (!entry) {
    if (n_scopes == scopes->entries.size()) return nullptr;  // more devices than a host has
    entry = &scopes->entries[n_scopes++];
    *entry = {&device, nullptr};
  }
  Stream* previous = entry->stream;
  entry->stream = stream;
  return previous;
}

}  // namespace

StreamScope::StreamScope(Stream& stream)
    : device_(stream.device()), previous_(set_scoped_stream(device_, &stream)) {}

StreamScope::~StreamScope() { set_scoped_stream(device_, previous_); }

Stream* scoped_stream(const Device& device) {
  if (!n_scopes) return nullptr;
  const Scopes::Entry* entry = scopes->find(device);
  return entry ? entry->stream : nullptr;
}

}  // namespace kasoku
