/// \file kasoku/compile/key.h
/// The name of compiled code: a hash of everything that decides it.
///
/// Files that the text includes from disk are not known before it is parsed: an
/// entry lists them with their hashes, and holds only while those are right.
#pragma once

#include "kasoku/base/hash.h"
#include "kasoku/compile/program.h"
#include "kasoku/device/device.h"

#include <string>
#include <string_view>

namespace kasoku {

struct Key {
  Hash128 hash;
  /// The bytes that were hashed. The entry keeps them and they are compared, so that not even a collision gives the
  /// wrong code.
  std::string material;
};

/// The key of the first stage, parsing. `identity` is the compiler's, with its version and target.
Key program_key(const Program& program, const std::string& identity);

/// The key of the second stage: one kernel of a parsed module for one block shape. `payload` is the first stage's, so
/// included files are in it.
Key kernel_key(const Hash128& payload, const KernelInfo& kernel, const uint32_t block[3],
               const std::string& identity);

/// The key of a kernel that the library brings along, by a name of ours instead of its text.
Key brought_key(std::string_view name, const std::string& identity);

}  // namespace kasoku
