/// \file kasoku/kernel/scan.h
/// Prefix results from the text of how two values become one: y[i] = x[0] op … op x[i].
///
/// By the fixed chunks of codegen/scan_text.h, as arrays are scanned: up to 1024 elements one after the other, and each later
/// chunk joined to what lies before it. Order is kept, so `op` need not commute; the result does not depend
/// on workers or device.
#pragma once

#include "kasoku/kernel/reduction.h"

namespace kasoku {

struct ScanOptions {
  std::string name = "scan";
  std::string preamble;
  std::vector<std::string> options;
  Locator locate;  ///< leads messages to the user's own file
  bool is_checked = false;  ///< as in ElementwiseOptions
};

enum class ScanKind : uint8_t { inclusive, exclusive };

class ScanKernel {
 public:
  /// Exclusive scans begin with `neutral`; inclusive ones need none.
  ScanKernel(ScanKind kind, KernelType type, std::string scan_expr, std::string neutral = "",
             ScanOptions options = {});

  /// Scans `in` into `out`, both one-dimensional in C order. They may be the same array.
  void operator()(const Argument& in, const Argument& out, Stream* stream = nullptr) const;

  ScanKind kind() const;
  const ScanOptions& options() const;
  /// Compiles this kernel for check from now on, as ElementwiseKernel::watch() does.
  void watch();
  const KernelType& type() const;
  std::string text() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kasoku
