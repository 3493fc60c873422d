// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/step_folders.h"

#include <algorithm>
#include <map>
#include <set>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/manifest_step.h"
#include "meshwright/checkpoint/pins.h"
#include "meshwright/checkpoint/readable.h"
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

// earlier.1: what a run that began anew left to be found (train/run_folder.h).
constexpr std::string_view kEarlier = "earlier.";

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

// The id of the run that wrote a step; nothing if it is no folder, or no manifest can be read.
std::optional<std::string> writer_of(const io::FileSystem& files, const std::string& path) {
  const std::optional<io::FileInfo> info = files.find(path);
  if (!info || info->kind != io::FileKind::folder) return std::nullopt;
  return find_run(files, path);
}

// Whether the run that wrote `name` may remove what was there before: it must have written that
// too, as far as the manifests know.
bool is_ours(const io::FileSystem& files, const std::string& before, const std::string& name) {
  const std::optional<std::string> writer = writer_of(files, before);
  return writer && may_be_same_run(*writer, find_run(files, name).value_or(""));
}

std::string free_name(const io::FileSystem& files, const std::string& wanted) {
  std::string out = wanted;
  for (int n = 2; files.find(out); ++n)
    out = str(wanted, ".", n);
  return out;
}

// What had the name `name` until its successor came.
void let_go(io::FileSystem& files, const std::string& replaced, const std::string& name) {
  if (!files.find(replaced)) return;
  if (is_ours(files, replaced, name) && !is_pinned(files, name))
    return remove_renamed(files, replaced);
  rename_durably(files, replaced, free_name(files, with_prefix(kAbandoned, name)));
}

}  // namespace

std::string with_prefix(std::string_view prefix, std::string_view folder) {
  return join_path(parent_of(folder), str(prefix, name_of(folder)));
}

void publish(io::FileSystem& files, const std::string& finished, const std::string& name) {
  const std::string before = with_prefix(kReplaced, name);
  if (files.find(name)) {
    let_go(files, before, name);
    rename_durably(files, name, before);
  }
  rename_durably(files, finished, name);
  let_go(files, before, name);
}

void remove_renamed(io::FileSystem& files, const std::string& folder) {
  const std::string doomed = free_name(files, with_prefix(kUnfinished, folder));
  rename_durably(files, folder, doomed);
  remove_tree(files, doomed);
}

void remove_marked(io::FileSystem& files, const std::string& folder, std::string_view marker) {
  for (const std::string_view name : {marker, std::string_view(kManifestFile)}) {
    std::string file = join_path(folder, name);
    if (!files.find(file)) continue;
    files.remove(file);
    files.sync_folder(folder);
  }
  remove_tree(files, folder);
}

void set_aside(io::FileSystem& files, const std::string& folder, std::string_view prefix) {
  rename_durably(files, folder, free_name(files, with_prefix(prefix, folder)));
}

// --- what is there ----------------------------------------------------------------------------

std::vector<StepEntry> list_steps(const Format& format,
                                  const Files& files,
                                  const std::string& run) {
  std::map<std::int64_t, StepEntry> steps;
  std::map<std::int64_t, StepEntry> replaced;
  for (const io::FolderEntry& entry : entries_in(*files, run)) {
    const bool was_replaced = entry.name.starts_with(kReplaced);
    const std::optional<std::int64_t> step =
        format.find_step(was_replaced ? without_prefix(kReplaced, entry.name) : entry.name);
    if (!step) continue;
    StepEntry found{.step = *step,
                    .folder = join_path(run, entry.name),
                    .is_folder = entry.kind == io::FileKind::folder};
    found.is_committed = found.is_folder && format.is_committed(files, found.folder);
    if (!was_replaced) {
      steps[*step] = found;
    } else if (found.is_committed && format.is_step(files, found.folder)) {
      replaced[*step] = found;
    }
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

namespace {

// "step_00000012" of "damaged-step_00000012.2".
std::string_view name_before(std::string_view prefix, std::string_view name) {
  return without_prefix(prefix, name.substr(0, name.find('.')));
}

// Of a step that was set aside.
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

std::vector<SetAside> list_set_aside(const Format& format,
                                     const Files& files,
                                     const std::string& run) {
  std::set<std::string> steps;
  for (const StepEntry& step : list_steps(format, files, run))
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

// --- after an interruption --------------------------------------------------------------------

namespace {

// A save that was killed where it stands, as earlier versions did: the checksums of one of several
// processes, but nothing that makes it a step.
bool is_left_by_us(const Format& format, const Files& files, const StepEntry& entry) {
  if (!entry.is_folder || entry.is_committed) return false;
  return format.find_step(io::name_of(entry.folder)) &&
         std::ranges::any_of(files->list(entry.folder), [](const io::FolderEntry& file) {
           return is_share_name(file.name) && file.kind == io::FileKind::file;
         });
}

// NAME, of which there is also replaced-NAME.
void finish_replacing(const Format& format, const Files& files, const std::string& name) {
  const std::string before = with_prefix(kReplaced, name);
  const std::optional<io::FileInfo> now = files->find(name);
  auto is_readable = [&](const std::string& folder) {
    const StepEntry entry{.step = *format.find_step(io::name_of(name)),
                          .folder = folder,
                          .is_committed = format.is_committed(files, folder)};
    return !find_flaw(format, files, entry);
  };
  if (now && now->kind == io::FileKind::folder && is_readable(name)) {
    if (is_ours(*files, before, name)) remove_renamed(*files, before);
    return;
  }
  if (!format.is_step(files, before) || (now && !is_readable(before))) return;
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
        is_unfinished ? name_before(kUnfinished, entry.name) : std::string_view(entry.name);
    const std::string_view name = without_prefix(kReplaced, begun);
    if (!format.find_step(name)) continue;
    const bool is_of_this_run =
        may_be_same_run(run_id.value_or(""), writer_of(*files, path).value_or(""));
    if (is_unfinished && !is_of_this_run) {
      const std::string kept = free_name(*files, join_path(run, str(kAbandoned, name)));
      rename_durably(*files, path, kept);
      note("a checkpoint of another run stays as ", files->full_name(kept));
    } else if (is_unfinished) {
      remove(path);
    } else if (name != entry.name && entry.kind == io::FileKind::folder) {
      finish_replacing(format, files, join_path(run, name));
    }
  }
  for (const StepEntry& entry : list_steps(format, files, run))
    if (is_left_by_us(format, files, entry)) remove(entry.folder);
  if (!removed.empty()) {
    note("removed what an interrupted save left in ", files->full_name(run), ": ",
         join(removed, ", "));
  }
}

}  // namespace meshwright::checkpoint
