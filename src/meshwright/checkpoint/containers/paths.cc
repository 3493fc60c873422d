// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/paths.h"

#include <charconv>

namespace meshwright::checkpoint {

std::int64_t step_in_name(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == name.npos || name[digits] != '-') return 0;
  std::int64_t out = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + digits + 1, end, out);
  return parsed.ec == std::errc() && parsed.ptr == end ? out : 0;
}

}  // namespace meshwright::checkpoint
