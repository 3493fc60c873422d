// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace meshwright::train {

/// Decides after how many tokens a generation that is watched shows them: after the first one, and
/// then after as many as take about 50 ms. Shorter parts would cost time, longer ones be visible.
class PartLength {
 public:
  explicit PartLength(bool is_watched) : is_watched_(is_watched) {}

  std::int32_t num_tokens() const { return is_watched_ ? num_tokens_ : kAll; }
  /// Records how long the last part took.
  void record(double seconds) {
    constexpr double kSeconds = 0.05, kMost = 4096;
    const double wanted = kSeconds * num_tokens_ / std::max(seconds, 1e-9);
    num_tokens_ = static_cast<std::int32_t>(std::clamp(wanted, 1.0, kMost));
  }

 private:
  static constexpr std::int32_t kAll = std::numeric_limits<std::int32_t>::max() / 2;
  bool is_watched_;
  std::int32_t num_tokens_ = 1;
};

}  // namespace meshwright::train
