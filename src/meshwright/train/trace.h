// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::train {

/// What the host did, phase by phase, during the steps that are traced. The file is in the format
/// of chrome://tracing and Perfetto.
class PhaseTrace {
 public:
  void start(std::int64_t step);
  bool is_on() const { return is_on_; }
  /// This phase begins, and the one before ends.
  void begin_phase(std::int64_t step, std::string_view phase);
  /// Writes FOLDER/step_N.json. Failing to is a warning.
  void stop(const std::filesystem::path& folder);

 private:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    std::string name;
    std::int64_t step;
    Clock::time_point start;
  };

  bool is_on_ = false;
  std::int64_t first_step_ = 0;
  std::vector<Phase> phases_;
};

}  // namespace meshwright::train
