/// \file kasoku/compile/serial.h
/// Numbers and texts to bytes and back, for keys and cache entries. A reader
/// never reads beyond its bytes, whatever they are.
#pragma once

#include "kasoku/compile/compiler.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kasoku {

class ByteWriter {
 public:
  ByteWriter& number(uint64_t value);
  ByteWriter& text(std::string_view text);  ///< with its length, so that ("ab", "c") is not ("a", "bc")
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  uint64_t number();
  std::string_view text();
  /// The length of the list that follows; never more than the bytes left could hold.
  size_t count();
  /// False after any read beyond the end; all reads then give 0 and "".
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

std::string to_bytes(const Compiler::Unit& unit);
/// False if the bytes are not a unit.
bool from_bytes(std::string_view bytes, Compiler::Unit& unit);

std::string to_bytes(const KernelCode& code);
bool from_bytes(std::string_view bytes, KernelCode& code);

}  // namespace kasoku
