// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/base/resident_memory.h"

namespace meshwright::train {

/// Source of the memory statistics, replaceable in tests.
struct MemorySource {
  std::optional<ResidentMemory> (*find)() = find_resident_memory;
  bool (*restart_peak)() = restart_resident_peak;
};

/// Tracks the host memory used by training steps separately from that used by compilation:
/// compiling an evaluator at step 1000 can take many times as much memory as a step, but only until
/// the program is cached.
class MemoryAccount {
 public:
  /// Must be created before the first step.
  explicit MemoryAccount(MemorySource source = {});

  /// Attributes memory to compilation for the lifetime of this object.
  class Compiling {
   public:
    /// Does nothing if `account` is null.
    explicit Compiling(MemoryAccount* account);
    ~Compiling();
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

   private:
    MemoryAccount* account_;
  };

  /// Returns text such as "host memory: at most 252.0 MB in steps, 9.9 MB more than before the
  /// first one; at most 1.3 GB with compiling", or a single number if the kernel cannot reset the
  /// peak. Empty if memory statistics are unavailable.
  std::string text();

 private:
  void close_part(std::int64_t& peak_bytes);

  MemorySource source_;
  std::optional<std::int64_t> before_bytes_;  // before the first step
  std::int64_t peak_before_bytes_ = 0;        // since the process started
  bool can_restart_ = false;
  std::int64_t steps_bytes_ = 0;  // peak of completed parts
  std::int64_t compiling_bytes_ = 0;
};

}  // namespace meshwright::train
