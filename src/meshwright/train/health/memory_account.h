// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/base/resident_memory.h"

namespace meshwright::train {

/// Source of the kernel's numbers, for tests.
struct MemorySource {
  std::optional<ResidentMemory> (*find)() = find_resident_memory;
  bool (*restart_peak)() = restart_resident_peak;
};

/// The host memory of steps, apart from that of compiling: an evaluator that is compiled at step
/// 1000 may take many times the memory of a step, and does so only until it is in the cache.
class MemoryAccount {
 public:
  /// Create it before the first step.
  explicit MemoryAccount(MemorySource source = {});

  /// Attributes memory to compiling while it lives.
  class Compiling {
   public:
    /// Of no account if it is null.
    explicit Compiling(MemoryAccount* account);
    ~Compiling();
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

   private:
    MemoryAccount* account_;
  };

  /// "host memory: at most 252.0 MB in steps, 9.9 MB more than before the first one; at most 1.3 GB
  /// with compiling", or one number for all where the kernel counts no peak of a part. Empty where
  /// it tells nothing.
  std::string text();

 private:
  void close_part(std::int64_t& peak_bytes);

  MemorySource source_;
  std::optional<std::int64_t> before_bytes_;  // the first step
  std::int64_t peak_before_bytes_ = 0;        // since the process began
  bool can_restart_ = false;
  std::int64_t steps_bytes_ = 0;  // peaks of what is over
  std::int64_t compiling_bytes_ = 0;
};

}  // namespace meshwright::train
