// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/pins.h"

#include <optional>
#include <utility>

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

// Returns the pin that T5X puts into the folder of a checkpoint; nullopt if there is none.
std::optional<std::string> find_t5x_pin(const io::FileSystem& files, const std::string& folder) {
  if (!io::is_folder(files, folder)) return std::nullopt;
  std::string file = io::join_path(folder, "PINNED");
  return files.find(file) ? std::optional(std::move(file)) : std::nullopt;
}

}  // namespace

bool is_pinned(const io::FileSystem& files, const std::string& folder) {
  return files.find(pin_of(folder)) || find_t5x_pin(files, folder);
}

void pin(io::FileSystem& files, const std::string& folder) {
  const std::string file = pin_of(folder);
  if (files.find(file)) return;
  io::write_text(files, file, "", io::Durability::synced);
  files.sync_folder(io::parent_of(file));
}

void unpin(io::FileSystem& files, const std::string& folder) {
  const auto remove = [&](const std::string& file) {
    files.remove(file);
    files.sync_folder(io::parent_of(file));
  };
  if (const std::string file = pin_of(folder); files.find(file)) remove(file);
  if (const auto file = find_t5x_pin(files, folder)) remove(*file);
}

}  // namespace meshwright::checkpoint
