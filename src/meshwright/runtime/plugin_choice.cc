// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_choice.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/plugin_remedy.h"

namespace meshwright::runtime {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns the path for `platform` in "name:path,name:path". Checks every entry.
std::optional<std::string> find_named(std::string_view list, std::string_view platform) {
  std::optional<std::string> found;
  while (!list.empty()) {
    std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    auto colon = entry.find(':');
    MW_CHECK(colon != std::string_view::npos && colon > 0 && colon + 1 < entry.size(),
             "PJRT_NAMES_AND_LIBRARY_PATHS: '", entry, "' is not NAME:PATH",
             "\nwrite it as cpu:/path/of/plugin.so,NAME:PATH or unset it");
    if (!found && entry.substr(0, colon) == platform) found = entry.substr(colon + 1);
  }
  return found;
}

std::string find_plugin(std::string_view platform,
                        const std::string& wanted,
                        std::span<const std::string> sets) {
  MW_CHECK(std::ranges::find(kPlatforms, platform) != kPlatforms.end(), "unknown platform '",
           platform, "'\nuse cpu, cuda or tpu");
  if (!wanted.empty()) return wanted;
  if (std::string path = environment("MESHWRIGHT_PLUGIN_PATH"); !path.empty()) return path;
  if (auto path = find_named(environment("PJRT_NAMES_AND_LIBRARY_PATHS"), platform)) return *path;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<std::string> looked_at;
  for (const std::string& set : sets) {
    for (const fs::path& place : plugin_places(set, program)) {
      if (fs::exists(place, ignored)) return place.string();
      looked_at.push_back(place.string());
    }
  }
  fail_with_remedy(
      ErrorCode::device, pjrt::name_another_plugin(), "no PJRT plugin for ", platform,
      ": MESHWRIGHT_PLUGIN_PATH and PJRT_NAMES_AND_LIBRARY_PATHS do not name one, and ",
      join(looked_at, " and "), " do not exist\nfetch it: tools/fetch_xla ", sets.back());
}

}  // namespace

std::vector<fs::path> plugin_places(std::string_view set, const fs::path& program) {
  std::vector<fs::path> places;
  const fs::path file = fs::path(set) / "plugin.so";
  if (!program.empty())
    places.push_back(program.parent_path().parent_path() / "share/meshwright/xla" / file);
  places.push_back(fs::path(MW_SOURCE_DIR) / ".cache/xla" / file);
  return places;
}

std::string plugin_path(std::string_view platform, const std::string& wanted) {
  return find_plugin(platform, wanted, std::array{std::string(platform)});
}

std::string compiler_path(std::string_view platform, const std::string& wanted) {
  if (platform != "cuda") return plugin_path(platform, wanted);
  return find_plugin(platform, wanted, std::array<std::string, 2>{"cuda", "cuda-compiler"});
}

}  // namespace meshwright::runtime
