// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "meshwright/runtime/client.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// The parameters of a checkpoint on devices, for evaluation and generation. It takes no lock and
/// writes nothing to the run's folder, so a run may use that folder at the same time.
class TrainedModel {
 public:
  /// Loads the checkpoint of `step`, by default the newest intact one. Throws no_checkpoint,
  /// listing the existing steps, if there is none, and invalid_argument, with some of the
  /// differences, if it belongs to another task. The job must outlive the model.
  TrainedModel(const Job& job,
               const runtime::Client& client,
               std::optional<std::int64_t> step = {});
  TrainedModel(const TrainedModel&) = delete;
  TrainedModel& operator=(const TrainedModel&) = delete;

  std::int64_t step() const { return step_; }
  const TrainingSetup& setup() const { return setup_; }
  const runtime::Client& client() const { return client_; }
  /// Returns the leaves of the parameters, or of their moving average if requested and kept by the
  /// learner.
  const std::vector<runtime::DeviceArray>& params(bool use_ema) const;

 private:
  std::vector<runtime::DeviceArray> put(const checkpoint::Stored& stored,
                                        std::string_view path,
                                        const Job& job) const;

  runtime::Client client_;
  TrainingSetup setup_;
  std::int64_t step_ = 0;
  std::vector<runtime::DeviceArray> params_, ema_;
};

/// Runs these evaluators of the job, or all if none is named, and returns results keyed by
/// "evaluator/metric". Throws invalid_argument, suggesting the nearest name, for an unknown
/// evaluator.
Results evaluate(const Job& job, const TrainedModel& model, std::vector<std::string> evaluators);

}  // namespace meshwright::train
