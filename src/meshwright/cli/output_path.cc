// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/output_path.h"

#include <filesystem>

#include "meshwright/base/error.h"

namespace meshwright::cli {

void check_output(const std::string& command, const std::string& path, bool force) {
  std::error_code ignored;
  if (force || !std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return;
  fail(ErrorCode::already_exists, command, ": ", path, " exists\nto replace it: --force");
}

}  // namespace meshwright::cli
