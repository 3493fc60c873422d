// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"

namespace meshwright::optim {
namespace {

struct UnitName {
  DurationUnit unit;
  std::string_view name;
  std::string_view needs;  // from RunLength
};
constexpr std::array kUnits = {
    UnitName{DurationUnit::steps, "steps", ""},
    UnitName{DurationUnit::examples, "examples", "the batch size"},
    UnitName{DurationUnit::epochs, "epochs", "data with epochs of a known size"},
    UnitName{DurationUnit::percent, "%", "the total number of steps"},
    UnitName{DurationUnit::tokens, "tokens", "the batch size and the tokens of an example"},
};

const UnitName& name_of(DurationUnit unit) {
  return kUnits[static_cast<std::size_t>(unit)];
}

std::optional<DurationUnit> find_unit(std::string_view word) {
  if (word.empty()) return DurationUnit::steps;
  for (const UnitName& unit : kUnits) {
    bool singular = word.size() + 1 == unit.name.size() && unit.name.starts_with(word);
    if (word == unit.name || (singular && unit.unit != DurationUnit::percent)) return unit.unit;
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

// Returns a fractional number of steps, or nothing if `run` lacks a size that the unit needs.
std::optional<double> find_steps(const Duration& duration, const RunLength& run) {
  auto of_batches = [&](double examples) -> std::optional<double> {
    if (!run.batch_examples) return std::nullopt;
    return examples / static_cast<double>(*run.batch_examples);
  };
  switch (duration.unit) {
    case DurationUnit::steps:
      return duration.amount;
    case DurationUnit::examples:
      return of_batches(duration.amount);
    case DurationUnit::epochs: {
      const auto size = run.epoch_examples ? run.epoch_examples() : std::nullopt;
      if (!size) return std::nullopt;
      return of_batches(duration.amount * static_cast<double>(*size));
    }
    case DurationUnit::percent:
      if (!run.total_steps) return std::nullopt;
      return duration.amount / 100 * static_cast<double>(*run.total_steps);
    case DurationUnit::tokens:
      if (!run.example_tokens) return std::nullopt;
      return of_batches(duration.amount / static_cast<double>(*run.example_tokens));
  }
  return std::nullopt;
}

}  // namespace

Duration parse_duration(std::string_view text) {
  std::string_view rest = trimmed(text);
  double amount = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), amount);
  std::string_view word = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  std::optional<DurationUnit> unit = find_unit(word);
  MW_CHECK(error == std::errc() && unit && amount >= 0 && std::isfinite(amount), "'", text,
           "' is not a duration; write '500', '500 steps', '1e6 examples', '2.5 epochs', '10%' or "
           "'3e9 tokens'");
  return {amount, *unit};
}

std::string to_string(const Duration& duration) {
  std::string_view unit = name_of(duration.unit).name;
  return str(duration.amount, duration.unit == DurationUnit::percent ? "" : " ", unit);
}

std::int64_t to_steps(const Duration& duration, const RunLength& run, std::string_view what) {
  MW_CHECK(duration.unit != DurationUnit::percent || duration.amount <= 100, what, ": ", duration,
           " is more than 100%");
  std::optional<double> steps = find_steps(duration, run);
  MW_CHECK(steps, what, ": '", duration, "' cannot be converted to steps without ",
           name_of(duration.unit).needs);
  // Doubles above this cannot represent every number of steps.
  constexpr double kMaxSteps = 0x1p53;
  MW_CHECK(*steps <= kMaxSteps, what, ": '", duration, "' is more than 2^53 steps");
  if (*steps == 0) return 0;
  return std::max<std::int64_t>(1, std::llrint(*steps));
}

}  // namespace meshwright::optim
