// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/regex.h"

#include <algorithm>
#include <regex>

#include "meshwright/base/error.h"

namespace meshwright {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kMostDigits = 3;

std::size_t num_digits(std::string_view text) {
  return std::min(text.find_first_not_of(kDigits), text.size());
}

// A count "{m,n}" or a reference "\\n" for which std::regex runs out of its numbers, or of memory.
bool has_large_number(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{' && pattern[at] != '\\') continue;
    std::string_view rest = pattern.substr(at + 1);
    std::size_t first = num_digits(rest);
    if (first > kMostDigits) return true;
    if (pattern[at] == '\\') {
      ++at;  // the next is no special character
      continue;
    }
    rest.remove_prefix(first);
    if (rest.starts_with(',') && num_digits(rest.substr(1)) > kMostDigits) return true;
  }
  return false;
}

}  // namespace

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
  if (has_large_number(pattern_)) {
    fail(ErrorCode::invalid_argument, "regular expression '", pattern_,
         "': a count has at most 3 digits");
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
