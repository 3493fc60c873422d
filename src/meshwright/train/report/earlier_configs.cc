// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/earlier_configs.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

#include "meshwright/base/str.h"
#include "meshwright/checkpoint/run/run_files.h"

namespace meshwright::train {
namespace {

constexpr std::string_view kStart = "config.", kEnd = ".toml";

// Returns the N of "config.N.toml".
std::optional<std::int64_t> find_number(std::string_view name) {
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return std::nullopt;
  if (name.size() <= kStart.size() + kEnd.size()) return std::nullopt;
  name.remove_prefix(kStart.size());
  name.remove_suffix(kEnd.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  constexpr std::int64_t kMax = 1'000'000'000;
  const bool is_one =
      error == std::errc() && end == name.data() + name.size() && number > 0 && number < kMax;
  return is_one ? std::optional(number) : std::nullopt;
}

std::map<std::int64_t, std::string> by_number(const io::FileSystem& run) {
  std::map<std::int64_t, std::string> out;
  for (const io::FolderEntry& entry : run.list(""))
    if (const auto number = find_number(entry.name)) out[*number] = entry.name;
  return out;
}

}  // namespace

std::vector<std::string> earlier_configs(const io::FileSystem& run) {
  std::vector<std::string> out;
  for (const auto& [number, name] : by_number(run))
    out.push_back(name);
  return out;
}

void keep_earlier_config(io::FileSystem& run, std::string_view next) {
  if (!io::is_file(run, checkpoint::kRunConfig)) return;
  const std::string text = read_text(run, checkpoint::kRunConfig);
  if (text == next) return;
  const std::map<std::int64_t, std::string> earlier = by_number(run);
  if (!earlier.empty()) {
    const std::string& newest = earlier.rbegin()->second;
    if (io::is_file(run, newest) && read_text(run, newest) == text) return;
  }
  const std::int64_t number = earlier.empty() ? 1 : earlier.rbegin()->first + 1;
  replace_text(run, str(kStart, number, kEnd), text);
}

}  // namespace meshwright::train
