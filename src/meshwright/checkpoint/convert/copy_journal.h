// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// The pieces that an unfinished copy has written so far, in a file beside it, by which the same
/// copy continues after its process was killed. The file exists from the first append() on.
class CopyJournal {
 public:
  struct Entry {
    std::size_t array = 0;  // index
    Ranges piece;
    std::string receipt;  // see CheckpointWriter
  };

  /// Reads the journal at `path`. One of a copy with another identity counts as absent, and so does
  /// everything after a damaged line.
  CopyJournal(Files files, std::string path, const std::string& identity);

  bool exists() const { return exists_; }
  /// Returns the receipt of a piece that the journal lists; nullopt if it does not.
  std::optional<std::string> find(std::size_t array, const Ranges& piece) const;

  /// Adds pieces, durably. They must be durable themselves.
  void append(const std::vector<Entry>& entries);
  void remove();

 private:
  void read();
  void begin();

  Files files_;
  std::string path_;
  std::string head_;                             // first line
  std::map<std::string, std::string> receipts_;  // keyed by array and piece
  std::uint64_t num_valid_bytes_ = 0;
  bool exists_ = false;
  std::unique_ptr<io::AppendableFile> file_;  // once something was appended
};

}  // namespace meshwright::checkpoint
