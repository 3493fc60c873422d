// SPDX-License-Identifier: Apache-2.0
// Durations in configs: a number of steps, or a string with a unit.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/duration.h"

namespace meshwright::config {

template <>
struct Text<optim::Duration> {
  static constexpr std::string_view kWhat = "a duration ('2 epochs', '10%')";
  static optim::Duration parse(const std::string& text) { return optim::parse_duration(text); }
  static std::string print(const optim::Duration& duration) { return optim::to_string(duration); }
};

}  // namespace meshwright::config

namespace meshwright::optim {

/// A duration in a config, such as warmup = 500 or warmup = "2 epochs".
struct DurationConfig : std::variant<std::int64_t, Duration> {
  using std::variant<std::int64_t, Duration>::variant;
};

/// Returns the duration in steps. Throws the errors of to_steps(), and invalid_argument if the
/// number of steps is negative.
double steps_of(const DurationConfig& duration, const RunLength& run, std::string_view what);

}  // namespace meshwright::optim
