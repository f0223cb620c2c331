/// \file kasoku/compile/stats.cpp
#include "kasoku/compile/stats.h"

namespace kasoku {

Stats& stats() {
  static Stats stats;
  return stats;
}

}  // namespace kasoku
