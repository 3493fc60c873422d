// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/step_folders.h"

#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;
using io::name_of;
using io::parent_of;

// Removes or sets aside the folder that was called `name` until it was replaced.
void let_go(io::FileSystem& files, const std::string& replaced, const std::string& name) {
  if (!files.find(replaced)) return;
  if (is_of_same_run(files, replaced, name) && !is_pinned(files, name))
    return remove_renamed(files, replaced);
  rename_durably(files, replaced, free_name(files, with_prefix(kAbandoned, name)));
}

}  // namespace

void rename_durably(io::FileSystem& files, const std::string& from, const std::string& to) {
  files.rename(from, to);
  files.sync_folder(parent_of(to));
}

std::optional<std::string> writer_of(const io::FileSystem& files, const std::string& path) {
  return io::is_folder(files, path) ? find_run(files, path) : std::nullopt;
}

bool is_of_same_run(const io::FileSystem& files,
                    const std::string& before,
                    const std::string& name) {
  const std::optional<std::string> writer = writer_of(files, before);
  return writer && may_be_same_run(*writer, find_run(files, name).value_or(""));
}

std::string free_name(const io::FileSystem& files, const std::string& wanted) {
  std::string out = wanted;
  for (int n = 2; files.find(out); ++n)
    out = str(wanted, ".", n);
  return out;
}

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

}  // namespace meshwright::checkpoint
