// SPDX-License-Identifier: Apache-2.0
#include "damage.h"

#include <vector>

#include "meshwright/io/path.h"

namespace meshwright::machine {
namespace {

std::vector<std::string> files_below(const io::MemoryFileSystem& disk, const std::string& folder) {
  std::vector<std::string> out;
  for (const std::string& file : disk.files())
    if (file.starts_with(folder + "/")) out.push_back(file);
  return out;
}

}  // namespace

bool damage_file(io::MemoryFileSystem& disk,
                 const std::string& folder,
                 std::uint32_t which,
                 std::uint32_t how) {
  const std::vector<std::string> files = files_below(disk, folder);
  if (files.empty()) return false;
  const std::string& file = files[which % files.size()];
  const std::uint32_t kind = how % 6;
  if (kind == 4) {
    disk.remove(file);
  } else if (kind == 5) {
    disk.put_other(file);
  } else {
    std::string& content = disk.content(file);
    if (kind == 2) {
      content.resize(content.size() / 2);
    } else if (kind == 3 || content.empty()) {
      content.push_back('x');
    } else {
      const std::uint32_t bit = how / 6 + which * 7;
      char& byte = content[bit / 8 % content.size()];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
    }
  }
  return true;
}

void damage_folder(io::MemoryFileSystem& disk, const std::string& folder, std::uint32_t how) {
  io::remove_tree(disk, folder);
  put_something(disk, folder, how % 3);
}

void put_something(io::MemoryFileSystem& disk, const std::string& name, std::uint32_t what) {
  switch (what % 4) {
    case 0:
      return disk.make_folder(name);
    case 1:
      return io::write_text(disk, name, "something");
    case 2:
      return disk.put_other(name);
    default:
      disk.make_folder(name);
      return io::write_text(disk, name + "/notes.txt", "something");
  }
}

void copy_folder(io::MemoryFileSystem& disk, const std::string& from, const std::string& to) {
  for (const std::string& file : files_below(disk, from)) {
    const std::string copy = to + file.substr(from.size());
    disk.make_folder(io::parent_of(copy));
    io::write_text(disk, copy, std::string(disk.content(file)));
  }
}

}  // namespace meshwright::machine
