// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/base/str.h"

namespace meshwright {

/// Source location of a call. Use it as a default argument:
///   Value exp(Value x, SourceLoc loc = SourceLoc::current());
/// It replaces std::source_location, whose current() needs a builtin that clang 14 lacks.
struct SourceLoc {
  const char* file = "";
  int line = 0;

  static constexpr SourceLoc current(const char* file = __builtin_FILE(),
                                     int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Returns the file name, without its folders, and the line: "block.cc:41".
inline std::string to_string(const SourceLoc& loc) {
  std::string_view file = loc.file;
  return str(file.substr(file.rfind('/') + 1), ":", loc.line);
}

}  // namespace meshwright
