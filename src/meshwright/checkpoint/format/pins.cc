// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/pins.h"

#include "meshwright/base/str.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

// Returns the path of a checkpoint's pin. A checkpoint under replaced-NAME has the pin of NAME.
std::string pin_of(const std::string& folder) {
  std::string name = io::name_of(folder);
  if (name.starts_with(kReplaced)) name.erase(0, kReplaced.size());
  return io::join_path(io::parent_of(folder), str(kPinned, name));
}

}  // namespace

bool is_pinned(const io::FileSystem& files, const std::string& folder) {
  return files.find(pin_of(folder)).has_value();
}

void pin(io::FileSystem& files, const std::string& folder) {
  const std::string file = pin_of(folder);
  if (files.find(file)) return;
  io::write_text(files, file, "", io::Durability::synced);
  files.sync_folder(io::parent_of(file));
}

void unpin(io::FileSystem& files, const std::string& folder) {
  const std::string file = pin_of(folder);
  if (!files.find(file)) return;
  files.remove(file);
  files.sync_folder(io::parent_of(file));
}

}  // namespace meshwright::checkpoint
