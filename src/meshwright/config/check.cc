// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/check.h"

#include "meshwright/base/str.h"

namespace meshwright::config {

std::string limits_text(const Check& limits) {
  if (limits.above == 0 && !limits.below && !limits.at_most) return "positive";
  std::vector<std::string> parts;
  if (limits.above) parts.push_back(str("above ", *limits.above));
  if (limits.at_least) parts.push_back(str("at least ", *limits.at_least));
  if (limits.below) parts.push_back(str("below ", *limits.below));
  if (limits.at_most) parts.push_back(str("at most ", *limits.at_most));
  if (limits.non_empty) parts.emplace_back("not empty");
  return join(parts, " and ");
}

}  // namespace meshwright::config
