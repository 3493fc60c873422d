// SPDX-License-Identifier: Apache-2.0
// Schedules that run other schedules in sequence.
#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

using graph::maximum;
using graph::where;

namespace {

void check_joined(const char* what,
                  const std::vector<Schedule>& schedules,
                  const std::vector<double>& numbers) {
  MW_CHECK(schedules.size() == numbers.size() + 1, what, ": ", schedules.size(), " schedules have ",
           numbers.size(), " boundaries, expected one fewer than schedules");
  for (double number : numbers)
    MW_CHECK(number >= 0, what, ": negative boundary ", number);
}

}  // namespace

Schedule stepwise(std::vector<Schedule> schedules, std::vector<double> starts) {
  check_joined("stepwise", schedules, starts);
  MW_CHECK(std::is_sorted(starts.begin(), starts.end()), "stepwise: starts must not decrease");
  return [schedules = std::move(schedules), starts = std::move(starts)](Value step) {
    Value out = schedules[0](step);
    for (std::size_t i = 0; i < starts.size(); ++i)
      out = where(step >= starts[i], schedules[i + 1](maximum(step - starts[i], 0.0)), out);
    return out;
  };
}

Schedule segment_wise(std::vector<Schedule> schedules, std::vector<double> lengths) {
  check_joined("segment_wise", schedules, lengths);
  return [schedules = std::move(schedules), lengths = std::move(lengths)](Value step) {
    Value out = where(step >= 1.0, schedules[0](maximum(step, 1.0)), graph::constant(0.0, f32));
    double offset = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      offset += lengths[i];
      out = where(step >= offset + 1, schedules[i + 1](maximum(step - offset, 1.0)), out);
    }
    return out;
  };
}

}  // namespace meshwright::optim
