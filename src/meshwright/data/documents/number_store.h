// SPDX-License-Identifier: Apache-2.0
// Arrays that are computed once and then read from files: the index of a large corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace meshwright::data {

/// An array in memory, or in a file that is mapped into memory. Copies share it.
class Numbers {
 public:
  Numbers(std::vector<std::int64_t> values = {});  // NOLINT(google-explicit-constructor)
  Numbers(std::initializer_list<std::int64_t> values) : Numbers(std::vector(values)) {}
  /// `owner` keeps `values` alive.
  Numbers(std::span<const std::int64_t> values, std::shared_ptr<const void> owner)
      : values_(values), owner_(std::move(owner)) {}

  std::int64_t operator[](std::int64_t index) const {
    return values_[static_cast<std::size_t>(index)];
  }
  std::int64_t size() const { return std::ssize(values_); }
  std::span<const std::int64_t> values() const { return values_; }
  Numbers without_first() const { return {values_.subspan(1), owner_}; }

 private:
  std::span<const std::int64_t> values_;
  std::shared_ptr<const void> owner_;
};

/// Appends one number.
using AppendNumber = std::function<void(std::int64_t)>;

/// The file of an array that a NumberStore keeps.
struct StoredNumbers {
  std::filesystem::path file;
  std::int64_t num_bytes = 0;
  std::int64_t last_use_seconds = 0;  // since 1970
};

class NumberStore {
 public:
  /// Without a folder, arrays are kept in memory.
  explicit NumberStore(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  /// Returns the array that `make` appends, reading it from a file if `key` was used before. `key`
  /// must determine the numbers. A damaged file causes a warning, and is written again. If the
  /// folder cannot be written, the array is kept in memory. Memory: little, if there is a folder.
  Numbers get(std::string_view key, const std::function<void(const AppendNumber&)>& make) const;

  /// Returns the files in the folder, also those that a process is writing.
  std::vector<StoredNumbers> files() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace meshwright::data
