// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/byte_size.h"

#include <charconv>
#include <cmath>

#include "meshwright/base/check.h"

namespace meshwright::cli {
namespace {

// Returns 0 for an unknown unit.
double unit_bytes(std::string_view unit) {
  constexpr std::string_view kLetters = "KMGT";
  if (unit.empty() || unit == "B") return 1;
  const std::size_t power = kLetters.find(unit[0]) + 1;
  if (power == 0) return 0;
  const std::string_view rest = unit.substr(1);
  if (rest.empty() || rest == "iB") return std::pow(1024.0, static_cast<double>(power));
  return rest == "B" ? std::pow(1000.0, static_cast<double>(power)) : 0;
}

}  // namespace

std::int64_t parse_byte_size(std::string_view option, const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  while (unit.starts_with(' '))
    unit.remove_prefix(1);
  const double bytes = number * unit_bytes(unit);
  constexpr double kMost = 9e18;
  MW_CHECK(parsed.ec == std::errc() && bytes >= 1 && bytes < kMost, option, ": '", text,
           "' is not a size in bytes, such as 1GiB or 500MB");
  return static_cast<std::int64_t>(bytes);
}

}  // namespace meshwright::cli
