// SPDX-License-Identifier: Apache-2.0
// Internal to io/: the root folder of a PosixFileSystem.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "meshwright/io/file_system.h"
#include "meshwright/io/posix_handle.h"

namespace meshwright::io {

class PosixRoot {
 public:
  /// Found by its name at every call.
  explicit PosixRoot(std::filesystem::path path);
  PosixRoot(PosixRoot&& other) noexcept;
  /// Made if needed and opened once.
  static PosixRoot held(std::filesystem::path path);

  /// A new descriptor. Throws not_found.
  Handle open() const;
  /// Makes the folder, durably, with those above it; nothing if it is held.
  void make() const;
  /// In messages: where it was when state() was last asked.
  std::filesystem::path name() const;
  RootState state() const;

 private:
  RootState find_state() const;

  std::filesystem::path path_;
  std::filesystem::path absolute_;  // whatever the working directory becomes
  Handle held_;
  mutable std::mutex mutex_;
  mutable std::filesystem::path now_at_;  // if it was moved
};

}  // namespace meshwright::io
