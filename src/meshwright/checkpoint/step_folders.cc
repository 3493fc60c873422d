// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/step_folders.h"

#include <algorithm>
#include <map>

#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;
using io::name_of;
using io::parent_of;

void rename_durably(io::FileSystem& files, const std::string& from, const std::string& to) {
  files.rename(from, to);
  files.sync_folder(parent_of(to));
}

std::vector<io::FolderEntry> folders_in(const io::FileSystem& files, const std::string& run) {
  std::vector<io::FolderEntry> out;
  if (!run.empty() && !files.find(run)) return out;
  try {
    out = files.list(run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
  }
  std::erase_if(out, [](const io::FolderEntry& e) { return e.kind != io::FileKind::folder; });
  return out;
}

}  // namespace

std::string with_prefix(std::string_view prefix, std::string_view folder) {
  return join_path(parent_of(folder), str(prefix, name_of(folder)));
}

void publish(io::FileSystem& files, const std::string& finished, const std::string& name) {
  std::string before = with_prefix(kReplaced, name);
  if (files.find(name)) {
    remove_tree(files, before);
    rename_durably(files, name, before);
  }
  rename_durably(files, finished, name);
  remove_tree(files, before);
}

void remove_renamed(io::FileSystem& files, const std::string& folder) {
  std::string doomed = with_prefix(kUnfinished, folder);
  remove_tree(files, doomed);
  rename_durably(files, folder, doomed);
  remove_tree(files, doomed);
}

void remove_marked(io::FileSystem& files, const std::string& folder, std::string_view marker) {
  std::string file = join_path(folder, marker);
  if (files.find(file)) {
    files.remove(file);
    files.sync_folder(folder);
  }
  remove_tree(files, folder);
}

void set_aside(io::FileSystem& files, const std::string& folder, std::string_view prefix) {
  std::string aside = with_prefix(prefix, folder);
  remove_tree(files, aside);
  rename_durably(files, folder, aside);
}

std::vector<StepEntry> list_steps(const Format& format,
                                  const Files& files,
                                  const std::string& run) {
  std::map<std::int64_t, StepEntry> steps;
  std::map<std::int64_t, StepEntry> replaced;
  for (const io::FolderEntry& entry : folders_in(*files, run)) {
    bool was_replaced = entry.name.starts_with(kReplaced);
    std::string_view name = entry.name;
    if (was_replaced) name.remove_prefix(kReplaced.size());
    std::optional<std::int64_t> step = format.find_step(name);
    if (!step) continue;
    std::string folder = join_path(run, entry.name);
    bool is_committed = format.is_committed(files, folder);
    (was_replaced ? replaced : steps)[*step] = {*step, folder, is_committed};
  }
  // Interrupted between the two renamings: the old one still is the step.
  for (const auto& [step, entry] : replaced) {
    auto [now, is_new] = steps.emplace(step, entry);
    if (!is_new && !now->second.is_committed) now->second = entry;
  }
  std::vector<StepEntry> out;
  for (const auto& [step, entry] : steps)
    out.push_back(entry);
  return out;
}

void recover(const Format& format, const Files& files, const std::string& run) {
  auto find_name = [&](const std::string& name, std::string_view prefix) {
    bool is_ours = name.starts_with(prefix) &&
                   format.find_step(std::string_view(name).substr(prefix.size())).has_value();
    return is_ours ? join_path(run, name.substr(prefix.size())) : "";
  };
  for (const io::FolderEntry& entry : folders_in(*files, run)) {
    std::string path = join_path(run, entry.name);
    if (!find_name(entry.name, kUnfinished).empty()) remove_tree(*files, path);
    std::string name = find_name(entry.name, kReplaced);
    if (name.empty()) continue;
    if (files->find(name) && format.is_committed(files, name)) {
      remove_tree(*files, path);
    } else {
      remove_tree(*files, name);
      rename_durably(*files, path, name);
    }
  }
}

}  // namespace meshwright::checkpoint
