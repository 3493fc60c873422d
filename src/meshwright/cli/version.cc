// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/version.h"

#include "meshwright/base/str.h"
#include "meshwright/git_commit.gen.h"
#include "meshwright/runtime/plugin_files.h"

namespace meshwright::cli {

std::string version_number() {
  return kVersion;
}

std::string version_line() {
  return str("meshwright ", kVersion, " (commit ", kGitCommit, ")");
}

std::string full_version() {
  std::string text = version_line();
  for (const std::string& plugin : runtime::plugin_files())
    text += str("\nplugin ", plugin);
  return text;
}

}  // namespace meshwright::cli
