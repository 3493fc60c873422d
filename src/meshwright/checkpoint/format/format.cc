// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/format.h"

#include "meshwright/checkpoint/format/manifest_writer.h"

namespace meshwright::checkpoint {

bool Format::is_here(const Files& files, const std::string& folder) const {
  if (const auto named = find_format_name(files, folder)) return *named == name();
  return has_step_files(files, folder);
}

}  // namespace meshwright::checkpoint
