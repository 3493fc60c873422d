// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
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

/// The records in a run-ID.wandb, up to the last whole one. Throws data_loss for what is no such
/// file.
std::vector<std::string> wandb_records(std::string_view file);
/// A field of a message; "" if it is not there.
std::string proto_field(std::string_view message, int number);
/// The JSON values by name in W&B's lists of items, which are at this field of a message.
std::map<std::string, std::string> wandb_items(std::string_view message, int field = 1);

std::string file_text(const std::filesystem::path& path);
/// Names of the files in a folder, sorted.
std::vector<std::string> file_names(const std::filesystem::path& folder);

}  // namespace meshwright::metrics
