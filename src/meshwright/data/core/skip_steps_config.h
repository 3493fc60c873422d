// SPDX-License-Identifier: Apache-2.0
// The key skip_steps of data that may have bad batches: [7, "120-130"].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "meshwright/config/type_of.h"
#include "meshwright/data/core/skipped_batches.h"

namespace meshwright::config {

template <>
struct Text<data::BatchRange> {
  static constexpr std::string_view kWhat = "a range of steps (\"120-130\")";
  static data::BatchRange parse(const std::string& text);
  static std::string print(const data::BatchRange& range);
};

}  // namespace meshwright::config

namespace meshwright::data {

/// A step or a range of steps.
struct SkippedSteps : std::variant<std::int64_t, BatchRange> {
  using std::variant<std::int64_t, BatchRange>::variant;
};
using SkipStepsConfig = config::OneOrMore<SkippedSteps>;

/// Adds the key.
void skip_steps_field(auto& f, SkipStepsConfig& skip_steps) {
  f.optional("skip_steps", skip_steps, config::kNotNegative,
             "Batches to leave out: numbers, as in messages about a batch, and ranges such as "
             "\"120-130\". The others move up. May be changed when resuming.");
}

SkippedBatches skipped_batches(const SkipStepsConfig& skip_steps);

}  // namespace meshwright::data
