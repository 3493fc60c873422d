// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/data_waits.h"

#include <utility>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/metrics/format.h"

namespace meshwright::train {
namespace {

constexpr double kMostWaiting = 0.2;
constexpr double kFewSeconds = 2;

bool is_worth_telling(double wait_seconds, double seconds) {
  return wait_seconds >= 1 && wait_seconds >= 0.01 * seconds;
}

}  // namespace

std::optional<std::string> DataWaits::find_warning(const TimeSpent& now) {
  const double waited = now[Spent::data_wait] - last_[Spent::data_wait];
  const double seconds = waited + now[Spent::steps] - last_[Spent::steps];
  last_ = now;
  if (has_warned_ || waited < kFewSeconds || waited < kMostWaiting * seconds) return std::nullopt;
  has_warned_ = true;
  return str("data: ", metrics::percent(waited / seconds), " of the last ",
             metrics::duration(seconds), " of training were spent waiting for batches of '",
             source_, "'\nmake batches on more threads (prefetch.threads, now ", num_threads_,
             "), or keep the data and its cache on a faster disk");
}

void DataWaits::add_evaluation(const std::string& evaluator, double wait_seconds, double seconds) {
  Evaluations& all = evaluations_[evaluator];
  all.wait_seconds += wait_seconds;
  all.seconds += seconds;
}

std::string DataWaits::text(const TimeSpent& spent) const {
  std::vector<std::string> parts;
  const double waited = spent[Spent::data_wait], seconds = waited + spent[Spent::steps];
  if (is_worth_telling(waited, seconds)) {
    parts.push_back(str("training waited ", metrics::duration(waited), " for '", source_, "' (",
                        metrics::percent(waited / seconds), " of its time)"));
  }
  for (const auto& [name, all] : evaluations_) {
    if (!is_worth_telling(all.wait_seconds, all.seconds)) continue;
    parts.push_back(str("evaluator '", name, "' waited ", metrics::duration(all.wait_seconds), " (",
                        metrics::percent(all.wait_seconds / all.seconds), ")"));
  }
  return join(parts, ", ");
}

}  // namespace meshwright::train
