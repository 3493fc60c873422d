// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

// earlier.1: files that a run set aside when it started from scratch (train/report/run_folder.h).
constexpr std::string_view kEarlier = "earlier.";

// Returns the prefix of a checkpoint that was set aside.
std::optional<std::string_view> prefix_of(std::string_view name) {
  for (const std::string_view prefix : {kDamaged, kAbandoned, kReplaced})
    if (name.starts_with(prefix)) return prefix;
  return std::nullopt;
}

bool has_step_name(std::string_view name, std::optional<std::int64_t> up_to) {
  if (const auto prefix = prefix_of(name)) name = name_before(*prefix, name);
  return std::ranges::any_of(formats(), [&](const Format* format) {
    const std::optional<std::int64_t> step = format->find_step(name);
    return step && (!up_to || *step <= *up_to);
  });
}

bool looks_like_a_step(const Files& files, const std::string& folder) {
  if (has_manifest(*files, folder)) return true;
  return std::ranges::any_of(
      formats(), [&](const Format* format) { return format->has_trace(files, folder); });
}

}  // namespace

std::vector<io::FolderEntry> entries_in(const io::FileSystem& files, const std::string& run) {
  if (!run.empty() && !files.find(run)) return {};
  try {
    return files.list(run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return {};
  }
}

std::string_view without_prefix(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

std::string_view name_before(std::string_view prefix, std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  const bool is_numbered = digits != name.npos && digits + 1 < name.size() && name[digits] == '.';
  return without_prefix(prefix, is_numbered ? name.substr(0, digits) : name);
}

std::vector<CheckpointEntry> list_steps(const Format& format,
                                        const Files& files,
                                        const std::string& run) {
  std::map<std::int64_t, CheckpointEntry> steps;
  std::map<std::int64_t, CheckpointEntry> replaced;
  for (const io::FolderEntry& entry : entries_in(*files, run)) {
    const bool was_replaced = entry.name.starts_with(kReplaced);
    const std::optional<std::int64_t> step =
        format.find_step(was_replaced ? without_prefix(kReplaced, entry.name) : entry.name);
    if (!step) continue;
    CheckpointEntry found{.step = *step,
                          .folder = join_path(run, entry.name),
                          .is_folder = entry.kind == io::FileKind::folder};
    found.is_committed = found.is_folder && format.is_committed(files, found.folder);
    if (!was_replaced) {
      steps[*step] = found;
    } else if (found.is_committed && format.is_here(files, found.folder)) {
      replaced[*step] = found;
    }
  }
  // Interrupted between the two renames: the old folder still is the checkpoint.
  for (const auto& [step, entry] : replaced) {
    auto [now, is_new] = steps.emplace(step, entry);
    if (!is_new && !now->second.is_committed) now->second = entry;
  }
  std::vector<CheckpointEntry> out;
  for (const auto& [step, entry] : steps)
    out.push_back(entry);
  return out;
}

std::vector<CheckpointEntry> steps_of_format(const Format& format,
                                             const Files& files,
                                             const std::string& run) {
  std::vector<CheckpointEntry> out = list_steps(format, files, run);
  std::erase_if(out, [&](const CheckpointEntry& step) {
    return !step.is_folder || !format.is_here(files, step.folder);
  });
  return out;
}

std::vector<SetAside> list_set_aside(const Format& format,
                                     const Files& files,
                                     const std::string& run) {
  std::set<std::string> steps;
  for (const CheckpointEntry& step : list_steps(format, files, run))
    steps.insert(step.folder);
  std::vector<SetAside> out;
  for (const io::FolderEntry& entry : entries_in(*files, run)) {
    std::string path = join_path(run, entry.name);
    const auto prefix = prefix_of(entry.name);
    if (prefix && format.find_step(name_before(*prefix, entry.name)) && !steps.contains(path))
      out.push_back({std::move(path), *prefix});
  }
  return out;
}

std::optional<std::string> find_trace(const Files& files,
                                      const std::string& run,
                                      std::optional<std::int64_t> up_to) {
  for (const io::FolderEntry& entry : entries_in(*files, run)) {
    if (has_step_name(entry.name, up_to)) return entry.name;
    if (up_to || entry.kind != io::FileKind::folder || entry.name.starts_with(kUnfinished))
      continue;
    if (looks_like_a_step(files, join_path(run, entry.name))) return entry.name;
  }
  return std::nullopt;
}

std::optional<std::string> find_trace_elsewhere(const Files& run, const std::string& checkpoints) {
  for (const io::FolderEntry& entry : entries_in(*run, "")) {
    if (entry.name == checkpoints || entry.name.starts_with(kEarlier)) continue;
    if (has_step_name(entry.name, {})) return entry.name;
    if (entry.kind != io::FileKind::folder) continue;
    if (looks_like_a_step(run, entry.name)) return entry.name;
    if (const auto below = find_trace(run, entry.name)) return join_path(entry.name, *below);
  }
  return std::nullopt;
}

}  // namespace meshwright::checkpoint
