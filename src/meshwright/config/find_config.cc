// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/find_config.h"

#include <algorithm>
#include <set>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"

namespace meshwright::config {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

}  // namespace

std::vector<fs::path> config_folders() {
  std::vector<fs::path> places = {"configs"};
  std::error_code ignored;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", ignored); !program.empty())
    places.push_back(program.parent_path().parent_path() / "share/meshwright/configs");
  places.push_back(fs::path(MW_SOURCE_DIR) / "configs");
  std::vector<fs::path> folders;
  for (const fs::path& place : places) {
    const bool is_known = std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
      return fs::equivalent(folder, place, ignored);
    });
    if (fs::is_directory(place, ignored) && !is_known) folders.push_back(place);
  }
  return folders;
}

std::vector<std::string> config_names(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end;
         entry.increment(ignored)) {
      const fs::path path = entry->path().lexically_relative(folder);
      const bool is_base = path.string().starts_with("_");
      if (path.extension() == ".toml" && !is_base)
        names.insert(fs::path(path).replace_extension().string());
    }
  }
  return {names.begin(), names.end()};
}

fs::path find_config(const std::string& name, const std::vector<fs::path>& folders) {
  if (is_file(name)) return name;
  if (!name.empty() && !fs::path(name).is_absolute()) {
    for (const fs::path& folder : folders) {
      if (is_file(folder / name)) return folder / name;
      if (is_file(folder / (name + ".toml"))) return folder / (name + ".toml");
    }
  }
  std::string asked = name;
  if (asked.ends_with(".toml")) asked.resize(asked.size() - 5);
  std::vector<std::string> where;
  for (const fs::path& folder : folders)
    where.push_back(folder.string());
  fail(ErrorCode::not_found, "there is no config '", name, "'",
       did_you_mean(asked, config_names(folders)), "\ngive a file, or the name of one in ",
       where.empty() ? "configs" : join(where, ", "));
}

}  // namespace meshwright::config
