// SPDX-License-Identifier: Apache-2.0
// Output of a parity program for Python: arrays as .npy files, and a JSON file that describes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright::parity {

/// One record of the manifest: texts, numbers and lists of arrays by name.
class Record {
 public:
  /// File names of the record start with `name`, which must be unique in the folder.
  Record(std::filesystem::path folder, std::string name);

  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, double value);
  /// Writes the arrays to files and records their names and dtypes.
  void arrays(std::string_view key, const std::vector<HostTensor>& tensors);

  std::string json() const { return json_ + "}"; }

 private:
  void key(std::string_view key);

  std::filesystem::path folder_;
  std::string name_;
  std::string json_;
};

/// Writes manifest.json: a list of all records. Throws unavailable if it cannot be written.
void write_manifest(const std::filesystem::path& folder, const std::vector<Record>& records);

}  // namespace meshwright::parity
