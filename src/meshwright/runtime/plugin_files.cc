// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_files.h"

#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/runtime/plugin_choice.h"

namespace meshwright::runtime {

std::vector<std::string> plugin_files() {
  std::vector<std::string> lines;
  for (std::string_view platform : kPlatforms) {
    try {
      lines.push_back(str(platform, ": ", plugin_path(platform, "")));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::device) continue;  // none was fetched or configured
      const std::string& message = error.message();
      lines.push_back(str(platform, ": ", message.substr(0, message.find('\n'))));
    }
  }
  return lines;
}

}  // namespace meshwright::runtime
