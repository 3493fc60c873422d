// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/non_finite_guard.h"

#include <cmath>
#include <string>
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {
namespace {

std::string what_happened(const StepMetrics& metrics, std::int64_t batch) {
  const float loss = metrics.values[kLossMetric];
  const std::string culprit =
      std::isfinite(loss) ? "the gradients are" : str("the loss is ", loss, ", which is");
  return str("step ", metrics.step, ": with batch ", batch, " ", culprit,
             " not finite; the update was not applied");
}

}  // namespace

void NonFiniteGuard::record(const StepMetrics& metrics, std::int64_t batch) {
  const auto now = static_cast<std::int64_t>(metrics.values[kNumSkippedMetric]);
  const bool is_bad = now > num_skipped_;
  num_skipped_ = now;
  // Later updates are not applied either, so only the first is handled.
  if (is_bad && !must_rewind()) handle_bad_step(metrics, batch);
}

void NonFiniteGuard::handle_bad_step(const StepMetrics& metrics, std::int64_t batch) {
  const std::string what = what_happened(metrics, batch);
  // With skipped batches the state has already advanced.
  if (config_.action != OnNonFinite::skip && explain_) explain_(metrics, batch);
  if (config_.action == OnNonFinite::rewind && num_rewinds_ < config_.max_times) {
    log_warning(what, "; rewinding to the last checkpoint");
    bad_step_ = metrics.step;
    return;
  }
  num_skipped_in_row_ = metrics.step == last_skipped_step_ + 1 ? num_skipped_in_row_ + 1 : 1;
  last_skipped_step_ = metrics.step;
  if (config_.action == OnNonFinite::skip && num_skipped_in_row_ <= config_.max_times)
    return log_warning(what, "; the batch is skipped");
  const bool may_be_allowed = config_.action != OnNonFinite::stop;
  Remedy remedy = may_be_allowed
                      ? set_config("to allow it more often", {{"non_finite.max_times", "N"}})
                      : set_config("to skip such batches", {{"non_finite.action", "skip"}});
  fail_with_remedy(ErrorCode::numerics, std::move(remedy), what,
                   may_be_allowed ? "; that is more often than allowed" : "",
                   "\na lower learning rate or gradient clipping may help");
}

std::int64_t NonFiniteGuard::begin_rewind() {
  ++num_rewinds_;
  return *std::exchange(bad_step_, std::nullopt);
}

}  // namespace meshwright::train
