// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "meshwright/base/error.h"

namespace meshwright::io {

/// Creates a folder and removes it with all its content.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Returns the code of the Error that `action` throws; nullopt if it throws none.
std::optional<ErrorCode> code_of(const std::function<void()>& action);

}  // namespace meshwright::io
