// SPDX-License-Identifier: Apache-2.0
// Durations with units, and their conversion to steps.
#pragma once

#include <cstdint>
#include <functional>
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

/// Parses "500", "500 steps", "1e6 examples", "2.5 epochs", "10%" or "3e9 tokens". Throws
/// invalid_argument, listing these forms, for anything else.
Duration parse_duration(std::string_view text);
std::string to_string(const Duration& duration);

/// Sizes used to convert units to steps; absent if unknown.
struct RunLength {
  std::optional<std::int64_t> total_steps = {};
  std::optional<std::int64_t> batch_examples = {};  // per step, on all devices
  /// Returns the size of an epoch; nullopt without epochs. Called only to convert epochs, since it
  /// may have to read the whole data first.
  std::function<std::optional<std::int64_t>()> epoch_examples = {};
  std::optional<std::int64_t> example_tokens = {};
  /// False if nothing is trained: schedules are not made, and throw `internal` when they are used.
  bool is_known = true;
};

/// Returns the nearest number of steps (ties to even), at least 1 unless the duration is 0. Throws
/// invalid_argument, naming `what`, if `run` lacks a size that the unit needs, or if the duration
/// exceeds 100% or 2^53 steps.
std::int64_t to_steps(const Duration& duration, const RunLength& run, std::string_view what);

}  // namespace meshwright::optim
