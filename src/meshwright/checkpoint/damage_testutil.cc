// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/damage_testutil.h"

#include "meshwright/base/str.h"

namespace meshwright::checkpoint {
namespace {

void become_other(io::MemoryFileSystem& files, const std::string& path) {
  io::remove_tree(files, path);
  files.put_other(path);
}

void become_folder(io::MemoryFileSystem& files, const std::string& path) {
  io::remove_tree(files, path);
  files.make_folder(path);
}

}  // namespace

std::vector<CheckpointDamage> visible_damage(const io::MemoryFileSystem& files,
                                             const std::string& folder) {
  using Disk = io::MemoryFileSystem;
  std::vector<CheckpointDamage> out = {
      {"the step is a link", [folder](Disk& disk) { become_other(disk, folder); }},
      {"the step is a file",
       [folder](Disk& disk) {
         io::remove_tree(disk, folder);
         io::write_text(disk, folder, "");
       }},
  };
  for (const std::string& file : files.files()) {
    if (!file.starts_with(folder + "/")) continue;
    out.push_back({file + " is lost", [file](Disk& disk) { disk.remove(file); }});
    out.push_back({file + " is longer", [file](Disk& disk) { disk.content(file) += ' '; }});
    out.push_back({file + " is a link", [file](Disk& disk) { become_other(disk, file); }});
    out.push_back({file + " is a folder", [file](Disk& disk) { become_folder(disk, file); }});
    if (files.find(file)->num_bytes > 0)
      out.push_back({file + " is cut off", [file](Disk& disk) { disk.content(file).pop_back(); }});
  }
  return out;
}

}  // namespace meshwright::checkpoint
