// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/human_bytes.h"

#include <array>
#include <cmath>

#include "meshwright/base/str.h"

namespace meshwright::cli {

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array kUnits = {" KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= std::int64_t{1} << (10 * (unit + 2)))
    ++unit;
  const double tenths =
      std::round(std::ldexp(static_cast<double>(bytes), -10 * (static_cast<int>(unit) + 1)) * 10);
  const auto whole = static_cast<std::int64_t>(tenths);
  return str(whole / 10, ".", whole % 10, kUnits[unit]);
}

}  // namespace meshwright::cli
