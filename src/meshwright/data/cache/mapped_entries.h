// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "meshwright/data/cache/part.h"

namespace meshwright::data {

/// The entries of a .documents file, mapped into memory, so that they take no memory of the process
/// and reading one makes no system call. Movable.
class MappedEntries {
 public:
  /// Throws data_loss if the file has fewer entries.
  MappedEntries(const std::string& path, std::int64_t num_entries);
  ~MappedEntries();
  MappedEntries(MappedEntries&& other) noexcept;
  MappedEntries& operator=(MappedEntries&&) = delete;

  const DocumentEntry& operator[](std::int64_t index) const {
    return entries_[static_cast<std::size_t>(index)];
  }

 private:
  std::span<const DocumentEntry> entries_;
};

}  // namespace meshwright::data
