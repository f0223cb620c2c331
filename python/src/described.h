/// \file described.h
/// What help() says of functions that are rows of tables: the row's sentence, what follows from its columns, its example.
#pragma once

#include "kasoku/array/algorithms/algorithms.h"
#include "kasoku/codegen/scans.h"

#include <string>

namespace kasoku {

/// Which arguments a reduction takes, of those that not all reductions have.
struct ReductionWords {
  bool dtype = false, initial = false, where = false, is_position = false;
};

/// A prompt before each line of the call, and what the last one shows; nothing without a call.
std::string example(const char* call, const char* result);

std::string described(Op op);
std::string described(ReduceOp op, std::string_view name, ReductionWords words);
std::string described(ScanOp op);
std::string described(Algorithm row);

/// The documentation of the method that calls the function with the array as first argument, or (in_place) stores the
/// result in it.
std::string described_method(std::string_view function, const char* doc, bool in_place = false);

}  // namespace kasoku
