// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/human_bytes.h"

#include "meshwright/base/str.h"

namespace meshwright::cli {

std::string human_bytes(std::int64_t bytes) {
  const bool is_large = bytes >= std::int64_t{1} << 30;
  const std::int64_t tenth = (std::int64_t{1} << (is_large ? 30 : 20)) / 10;
  const std::int64_t tenths = (bytes + tenth / 2) / tenth;
  return str(tenths / 10, ".", tenths % 10, is_large ? " GiB" : " MiB");
}

}  // namespace meshwright::cli
