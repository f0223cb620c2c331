/// \file kasoku/device/cpu/globals.h
/// The __device__ and __constant__ variables of a module: memory that the allocator watches the end of.
#pragma once

#include "kasoku/device/module.h"

#include <map>
#include <string>

namespace kasoku::cpu {

/// Whether `address` is in a __constant__ variable of some module.
bool is_constant_memory(const void* address);

class Globals {
 public:
  explicit Globals(const Code& code);
  ~Globals();
  Globals(const Globals&) = delete;
  Globals& operator=(const Globals&) = delete;

  /// By symbol; nullptr if there is none.
  const GlobalMemory* find(const std::string& symbol) const;
  /// After `kernel` ran: throws if the end of one was written past.
  void check_ends(std::string_view kernel) const;

 private:
  struct Global : GlobalMemory {
    std::string_view name;
    uint64_t allocated;
    bool is_constant;
  };
  std::map<std::string, Global> by_symbol_;
};

}  // namespace kasoku::cpu
