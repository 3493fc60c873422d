// SPDX-License-Identifier: Apache-2.0
// Simulates crashes while a step is being written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {

/// Thrown instead of ending the process. Never caught by the code under test.
struct Died {};

/// Crashes at the n-th modifying call. An append in progress is partly written.
io::Fault die_at(std::size_t n);

/// Returns contents for this step, whose values depend on the seed.
Contents contents_of(std::int64_t step, std::int64_t seed);

/// Returns the digests of the checkpoints in a run's folder, by step; "damaged: ..." for unreadable
/// ones.
using States = std::map<std::int64_t, std::string>;
States restore_all(const Format& format, const Files& files, const std::string& run = "run");

/// Remembers the file states that have already been checked. Most calls leave a state that occurred
/// before, and a valid state need not be checked again.
class Judged {
 public:
  /// True if these files were checked before with this `promise`, the only other input of the
  /// check. Records them as checked.
  bool knows(const io::MemoryFileSystem& files, const std::string& promise) {
    return !known_.emplace(promise, files.image()).second;
  }

 private:
  std::set<std::pair<std::string, std::string>> known_;
};

/// Writes one process's share of the parts: every n-th part.
void write_parts_of(const WriteOptions& options,
                    const Contents& contents,
                    CheckpointWriter& writer);

/// Returns a folder on a fast file system. Data written by a killed process persists even if it was
/// not synced, so a memory file system is enough.
std::filesystem::path quick_folder();

/// Kills the process at call n.
io::Fault kill_at(std::size_t n);

/// Returns 1 in tests with the label `long` (tests/checkpoint), and `otherwise` in others, since
/// each process takes milliseconds.
std::size_t calls_between_kills(std::size_t otherwise);

}  // namespace meshwright::checkpoint
