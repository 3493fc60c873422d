// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// For its lifetime, files cannot grow beyond `num_bytes`: writes end early, then fail.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::int64_t num_bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  unsigned long before_;
};

/// Returns the complete records of a run-ID.wandb file. Throws data_loss for anything else.
std::vector<std::string> wandb_records(std::string_view file);
/// Returns a field of a message; "" if it is missing.
std::string proto_field(std::string_view message, int number);
/// Returns the JSON values, keyed by name, in W&B's list of items in this field of a message.
std::map<std::string, std::string> wandb_items(std::string_view message, int field = 1);

/// Returns the names of the files in a folder, sorted.
std::vector<std::string> file_names(const std::filesystem::path& folder);

}  // namespace meshwright::metrics
