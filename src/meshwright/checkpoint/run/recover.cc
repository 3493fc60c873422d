// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/recover.h"

#include <algorithm>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/run/readable.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

// True for the leftovers of a save by an earlier version, which wrote in the final place, that was
// killed: they have the checksums of one of several processes, but no marker or manifest.
bool is_left_by_us(const Format& format, const Files& files, const CheckpointEntry& entry) {
  if (!entry.is_folder || entry.is_committed) return false;
  return format.find_step(io::name_of(entry.folder)) &&
         std::ranges::any_of(files->list(entry.folder), [](const io::FolderEntry& file) {
           return is_share_name(file.name) && file.kind == io::FileKind::file;
         });
}

std::string_view without_suffix(std::string_view suffix, std::string_view name) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

// Completes an interrupted replacement: removes replaced-NAME if NAME is readable, otherwise
// restores NAME from it.
void finish_replacing(const Format& format, const Files& files, const std::string& name) {
  const std::string before = with_prefix(kReplaced, name);
  const std::optional<io::FileInfo> now = files->find(name);
  auto is_readable = [&](const std::string& folder) {
    const CheckpointEntry entry{.step = *format.find_step(io::name_of(name)),
                                .folder = folder,
                                .is_committed = format.is_committed(files, folder)};
    return !find_flaw(format, files, entry);
  };
  if (now && now->kind == io::FileKind::folder && is_readable(name)) {
    if (is_of_same_run(*files, before, name)) remove_renamed(*files, before);
    return;
  }
  if (!format.is_here(files, before) || (now && !is_readable(before))) return;
  if (now) set_aside(*files, name, kDamaged);
  rename_durably(*files, before, name);
}

}  // namespace

void recover(const Format& format,
             const Files& files,
             const std::string& run,
             const std::optional<std::string>& run_id) {
  std::vector<std::string> removed;
  auto remove = [&](const std::string& path) {
    remove_tree(*files, path);
    removed.push_back(io::name_of(path));
  };
  for (const io::FolderEntry& entry : entries_in(*files, run)) {
    const std::string path = join_path(run, entry.name);
    const bool is_unfinished = entry.name.starts_with(kUnfinished);
    const std::string_view begun =
        is_unfinished ? without_suffix(kJournal, name_before(kUnfinished, entry.name))
                      : std::string_view(entry.name);
    const std::string_view name = without_prefix(kReplaced, begun);
    if (!format.find_step(name)) continue;
    const bool is_of_this_run =
        may_be_same_run(run_id.value_or(""), writer_of(*files, path).value_or(""));
    if (is_unfinished && !is_of_this_run) {
      const std::string kept = free_name(*files, join_path(run, str(kAbandoned, name)));
      rename_durably(*files, path, kept);
      log_info("kept a checkpoint of another run as ", files->full_name(kept));
    } else if (is_unfinished) {
      remove(path);
    } else if (name != entry.name && entry.kind == io::FileKind::folder) {
      finish_replacing(format, files, join_path(run, name));
    }
  }
  for (const CheckpointEntry& entry : list_steps(format, files, run))
    if (is_left_by_us(format, files, entry)) remove(entry.folder);
  if (!removed.empty()) {
    log_info("removed leftovers of an interrupted save in ", files->full_name(run), ": ",
             join(removed, ", "));
  }
}

}  // namespace meshwright::checkpoint
