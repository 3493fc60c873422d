// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/regex.h"

#include <regex>

#include "meshwright/base/error.h"

namespace meshwright {

struct Regex::Compiled {
  std::regex regex;
};

Regex::Regex(std::string pattern) : pattern_(std::move(pattern)) {
  // std::regex takes these for something else instead of refusing them.
  for (std::string_view foreign : {"(?P", "(?<", "{,", "[]", "[^]"}) {
    if (pattern_.find(foreign) != pattern_.npos) {
      fail(ErrorCode::invalid_argument, "regular expression '", pattern_, "': '", foreign,
           "' is not supported");
    }
  }
  try {
    compiled_ = std::make_shared<const Compiled>(Compiled{std::regex(pattern_)});
  } catch (const std::regex_error& error) {
    fail(ErrorCode::invalid_argument, "regular expression '", pattern_, "': ", error.what());
  }
}

bool Regex::matches(std::string_view text) const {
  return std::regex_match(text.begin(), text.end(), compiled_->regex);
}

}  // namespace meshwright
