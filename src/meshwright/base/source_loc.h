// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/base/str.h"

namespace meshwright {

/// Where a call stands in the source. As a default argument:
///   Value exp(Value x, SourceLoc loc = SourceLoc::current());
/// clang 14 has no builtin for std::source_location::current, hence a type of our own.
struct SourceLoc {
  const char* file = "";
  int line = 0;

  static constexpr SourceLoc current(const char* file = __builtin_FILE(),
                                     int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// "block.cc:41": the file without its folders.
inline std::string to_string(const SourceLoc& loc) {
  std::string_view file = loc.file;
  return str(file.substr(file.rfind('/') + 1), ":", loc.line);
}

}  // namespace meshwright
