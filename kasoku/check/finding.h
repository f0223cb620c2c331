/// \file kasoku/check/finding.h
/// What a check found: two accesses that no order separates, an index outside
/// its array, an input that another task changes.
#pragma once

#include <string>
#include <vector>

namespace kasoku {

struct Finding {
  std::string kind;    ///< "race", "bounds", "mutation", "uninitialised", "divergence"
  std::string array;   ///< the name in the user's source
  std::string file;
  int line = 0;        ///< of the access that completes it
  int other_line = 0;  ///< of the earlier access; 0 if there is none
  std::string text;    ///< one sentence

  std::string str() const {
    std::string place = file.empty() ? "" : file + ":";
    return kind + " on " + array + " at " + place + std::to_string(line) + ": " + text;
  }
};

}  // namespace kasoku
