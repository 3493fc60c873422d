// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/foreign/state_folders.h"

#include <optional>
#include <string_view>

#include "meshwright/base/str.h"

namespace meshwright::train {
namespace {

constexpr std::string_view kModel = "model/";
constexpr std::string_view kLearner = "learner/";

std::optional<ForeignArray> param_in(const std::string& folder,
                                     const ForeignArrays& params,
                                     const std::string& param) {
  const auto found = params.find(param);
  if (found == params.end()) return std::nullopt;
  ForeignArray out = found->second;
  out.path = str(folder, "/", out.path);
  if (!out.path_of_all_rows.empty()) out.path_of_all_rows = str(folder, "/", out.path_of_all_rows);
  return out;
}

// Finds the slot of "learner/.../SLOT/PARAM". The name of a slot may also occur in PARAM or before.
std::optional<ForeignArray> slot_in(const StateFolders& folders,
                                    const ForeignArrays& params,
                                    const std::string& path) {
  for (const auto& [slot, folder] : folders.slots) {
    const std::string name = str("/", slot, "/");
    for (std::size_t at = path.find(name); at != path.npos; at = path.find(name, at + 1)) {
      if (auto found = param_in(folder, params, path.substr(at + name.size()))) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

ForeignArrays arrays_in(const StateFolders& folders,
                        const ForeignArrays& params,
                        const std::vector<std::string>& paths) {
  ForeignArrays out;
  for (const std::string& path : paths) {
    std::optional<ForeignArray> found;
    if (path.starts_with(kModel)) {
      found = param_in(folders.params, params, path.substr(kModel.size()));
    } else if (path.starts_with(kLearner)) {
      found = slot_in(folders, params, path);
    }
    if (found) out.emplace(path, *std::move(found));
  }
  return out;
}

}  // namespace meshwright::train
