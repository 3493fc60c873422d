// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_versions.h"

#include <optional>
#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/plugin.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/plugin_environment.h"

namespace meshwright::runtime {
namespace {

std::optional<std::string> find_plugin(std::string_view platform) {
  try {
    return plugin_path(platform, "");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::device) return std::nullopt;  // none was fetched or named
    throw;
  }
}

std::string versions(std::string_view platform, const std::string& path) {
  prepare_plugin_environment(platform);
  const pjrt::Plugin& plugin = pjrt::Plugin::load(path);
  std::string text = str("PJRT ", plugin.api_version());
  for (const pjrt::NamedValue& attribute : plugin.attributes())
    text += str(", ", attribute);
  return text;
}

std::string describe(const CompileCache& notes,
                     std::string_view platform,
                     const std::string& path) {
  try {
    return str(platform, ": ",
               notes.remember("versions", path, [&] { return versions(platform, path); }));
  } catch (const Error& error) {
    const std::string& message = error.message();
    return str(platform, ": ", message.substr(0, message.find('\n')));
  }
}

}  // namespace

std::vector<std::string> plugin_versions(const std::filesystem::path& cache_folder) {
  const CompileCache notes(cache_folder);
  std::vector<std::string> lines;
  for (std::string_view platform : {"cpu", "cuda", "tpu"})
    if (auto path = find_plugin(platform)) lines.push_back(describe(notes, platform, *path));
  return lines;
}

}  // namespace meshwright::runtime
