// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/pattern.h"

#include "meshwright/base/error.h"
#include "meshwright/base/regex.h"

namespace meshwright::config {

bool is_pattern(const std::string& text) {
  try {
    return !Regex(text).pattern().empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace meshwright::config
