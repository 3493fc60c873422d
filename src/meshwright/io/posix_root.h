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
  /// Looks up the folder by name on every call.
  explicit PosixRoot(std::filesystem::path path);
  PosixRoot(PosixRoot&& other) noexcept;
  /// Creates the folder if necessary and keeps it open.
  static PosixRoot held(std::filesystem::path path);

  /// Returns a new descriptor. Throws not_found if the folder does not exist.
  Handle open() const;
  /// Creates the folder and its parents durably. Does nothing if the folder is held.
  void make() const;
  /// Returns the location as of the last call to state(), for messages.
  std::filesystem::path name() const;
  RootState state() const;

 private:
  RootState find_state() const;

  std::filesystem::path path_;
  std::filesystem::path absolute_;  // fixed even if the working directory changes
  Handle held_;
  mutable std::mutex mutex_;
  mutable std::filesystem::path now_at_;  // set if the root was moved
};

}  // namespace meshwright::io
