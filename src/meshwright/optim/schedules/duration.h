// SPDX-License-Identifier: Apache-2.0
// How long something lasts, in the unit that suits it, and so many steps that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace meshwright::optim {

enum class DurationUnit { steps, examples, epochs, percent, tokens };

struct Duration {
  double amount = 0;  // percent: 0 to 100
  DurationUnit unit = DurationUnit::steps;

  bool operator==(const Duration&) const = default;
};

/// "500", "500 steps", "1e6 examples", "2.5 epochs", "10%", "3e9 tokens". Throws invalid_argument
/// with what can be written.
Duration parse_duration(std::string_view text);
std::string to_string(const Duration& duration);

/// What the units are converted with, as far as it is known.
struct RunLength {
  std::optional<std::int64_t> total_steps = {};
  std::optional<std::int64_t> batch_examples = {};  // in a step, on all devices
  std::optional<std::int64_t> epoch_examples = {};
  std::optional<std::int64_t> example_tokens = {};
};

/// To the nearest number of steps, of two the even one; at least 1 unless the duration is 0. Throws
/// invalid_argument, naming `what`, if the run's length does not say enough or a percentage is over
/// 100.
std::int64_t to_steps(const Duration& duration, const RunLength& run, std::string_view what);

}  // namespace meshwright::optim
