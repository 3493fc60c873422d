// SPDX-License-Identifier: Apache-2.0
// Ends while a step is written.
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

/// Thrown where a process would be no more: nobody catches it on the way.
struct Died {};

/// Ends at the n-th changing call. What is being appended then is there in part.
io::Fault die_at(std::size_t n);

/// The contents that belong to a seed, as if they were of this step.
Contents contents_of(std::int64_t step, std::int64_t seed);

/// The digests of what is in the folder of a run, by step; "damaged: ..." where it cannot be read.
using States = std::map<std::int64_t, std::string>;
States restore_all(const Format& format, const Files& files, const std::string& run = "run");

/// Which files were judged already: most calls leave the same ones as another, and what was found
/// good once is good again.
class Judged {
 public:
  /// `promise` is what else the judgement depends on. From now on it is known.
  bool knows(const io::MemoryFileSystem& files, const std::string& promise) {
    return !known_.emplace(promise, files.image()).second;
  }

 private:
  std::set<std::pair<std::string, std::string>> known_;
};

/// What one of several processes writes: every n-th part.
void write_parts_of(const WriteOptions& options, const Contents& contents, StepWriter& writer);

// --- processes that are killed ------------------------------------------------------------------

/// Where files are quick. What a process that is killed wrote stays, synced or not, so files in
/// memory will do.
std::filesystem::path quick_folder();

/// Kills the process at call n.
io::Fault kill_at(std::size_t n);

/// A process takes milliseconds: at every call in the label `long` (tests/checkpoint).
std::size_t calls_between_kills(std::size_t otherwise);

}  // namespace meshwright::checkpoint
