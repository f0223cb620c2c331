/// \file kasoku/kernel/headers.h
/// Include files that programs of other systems expect to find beside their kernels.
#pragma once

#include "kasoku/compile/program.h"

namespace kasoku {

/// Gives `program` those of our header files that its text names.
void add_headers(Program& program);

}  // namespace kasoku
