// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::data {

std::string gzipped(std::string_view text);
/// One frame with a checksum.
std::string zstd_compressed(std::string_view text);

/// Returns the message of the error that `action` throws, which must be data_loss; an empty string
/// if it throws none.
std::string data_loss_of(const std::function<void()>& action);

/// A temporary folder with helpers to write files.
class DataFolder {
 public:
  /// Returns the path of a new file.
  std::string write(const std::string& name, std::string_view content) const;
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_;
};

/// All that a reader returned until its end or error.
struct Outcome {
  struct Item {
    std::vector<std::string> fields;
    std::vector<std::string> messages;  // "role: content"
    std::size_t file = 0;
    std::int64_t number = 0;
    std::int64_t offset = 0;
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items = {};
  std::string error = {};
  RecordCounts counts = {};

  bool operator==(const Outcome&) const = default;
  /// Returns the first field of all records.
  std::vector<std::string> texts() const;
};

/// Reads files with RecordReader::next().
Outcome read_all(const std::vector<std::string>& paths, const RecordSettings& settings);
/// Reads files with RecordReader::next_batch().
Outcome read_batches(const std::vector<std::string>& paths, const RecordSettings& settings);

}  // namespace meshwright::data
