// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/plugin_choice.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "meshwright/base/check.h"

namespace meshwright::runtime {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The path that belongs to `platform` in "name:path,name:path".
std::optional<std::string> find_named(std::string_view list, std::string_view platform) {
  while (!list.empty()) {
    std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    auto colon = entry.find(':');
    MW_CHECK(colon != std::string_view::npos, "PJRT_NAMES_AND_LIBRARY_PATHS: '", entry,
             "' is not NAME:PATH");
    if (entry.substr(0, colon) == platform) return std::string(entry.substr(colon + 1));
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> fetched_places(std::string_view platform) {
  std::vector<std::filesystem::path> places;
  for (const std::filesystem::path& root :
       {std::filesystem::path(MW_SOURCE_DIR), std::filesystem::path()})
    places.push_back(root / ".cache/xla" / platform / "plugin.so");
  return places;
}

}  // namespace

std::string plugin_path(std::string_view platform, const std::string& wanted) {
  MW_CHECK(platform == "cpu" || platform == "cuda" || platform == "tpu", "unknown platform '",
           platform, "'\nuse cpu, cuda or tpu");
  if (!wanted.empty()) return wanted;
  if (std::string path = environment("MESHWRIGHT_PLUGIN_PATH"); !path.empty()) return path;
  if (auto path = find_named(environment("PJRT_NAMES_AND_LIBRARY_PATHS"), platform)) return *path;
  for (const auto& place : fetched_places(platform)) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return place.string();
  }
  fail(ErrorCode::device, "there is no PJRT plugin for ", platform,
       ": none was named by --plugin, MESHWRIGHT_PLUGIN_PATH or PJRT_NAMES_AND_LIBRARY_PATHS, and ",
       fetched_places(platform)[0].string(), " does not exist\nfetch it: tools/fetch_xla ",
       platform);
}

}  // namespace meshwright::runtime
