// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// A folder for one test, gone with it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// While it lives, files cannot grow beyond `num_bytes`: writes end early, then fail.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::int64_t num_bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  unsigned long before_;
};

std::string file_text(const std::filesystem::path& path);
/// Names of the files in a folder, sorted.
std::vector<std::string> file_names(const std::filesystem::path& folder);

}  // namespace meshwright::metrics
