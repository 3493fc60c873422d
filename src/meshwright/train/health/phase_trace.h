// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::train {

/// Records what the host does, phase by phase, during traced steps or batches. Writes files for
/// chrome://tracing and Perfetto.
class PhaseTrace {
 public:
  /// `counted` is the unit of the phase numbers: "step" or "batch".
  explicit PhaseTrace(std::string counted = "step") : counted_(std::move(counted)) {}

  void start();
  bool is_on() const { return is_on_; }
  /// Ends the current phase and begins `phase`.
  void begin_phase(std::int64_t number, std::string_view phase);
  /// Writes the trace if one is being recorded. A failure only causes a warning.
  void stop(io::FileSystem& files, const std::string& path);

 private:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    std::string name;
    std::int64_t number;
    Clock::time_point start;
  };

  std::string counted_;
  bool is_on_ = false;
  std::vector<Phase> phases_;
};

}  // namespace meshwright::train
