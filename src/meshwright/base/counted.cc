// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/counted.h"

#include "meshwright/base/str.h"

namespace meshwright {

std::string with_separators(std::int64_t number) {
  const std::string digits = str(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t num_left = digits.size() - i;
    if (num_left % 3 == 0 && i > 0 && digits[i - 1] != '-') out += ',';
    out += digits[i];
  }
  return out;
}

std::string counted(std::int64_t number, std::string_view noun, std::string_view plural) {
  const std::string count = with_separators(number);
  if (number == 1) return str(count, " ", noun);
  return plural.empty() ? str(count, " ", noun, "s") : str(count, " ", plural);
}

}  // namespace meshwright
