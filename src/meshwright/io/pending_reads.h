// SPDX-License-Identifier: Apache-2.0
// The reads of files that have not returned, so that a file that hangs can be named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace meshwright::io {

struct PendingRead {
  std::string file;
  std::uint64_t offset = 0;
  double seconds = 0;  // since it began
};

/// Returns the read that began first of those in progress on any thread; nullopt if there is none.
std::optional<PendingRead> find_longest_read();

/// Counts as a read in progress of the thread that makes it. Must not outlive `file`, and at most
/// one may exist per thread.
class ReadInProgress {
 public:
  ReadInProgress(const std::string& file, std::uint64_t offset);
  ~ReadInProgress();
  ReadInProgress(const ReadInProgress&) = delete;
  ReadInProgress& operator=(const ReadInProgress&) = delete;
};

}  // namespace meshwright::io
