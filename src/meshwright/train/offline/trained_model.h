// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "meshwright/runtime/client.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// The parameters of a checkpoint on devices, for what does not train. It takes no lock and changes
/// nothing in the run's folder, so a run may go on there meanwhile.
class TrainedModel {
 public:
  /// Of the checkpoint of `step`; absent: of the newest that is undamaged. Throws no_checkpoint if
  /// there is none, with the steps there are; invalid_argument with some of the differences if it
  /// is not of this task. The job must outlive it.
  TrainedModel(const Job& job,
               const runtime::Client& client,
               std::optional<std::int64_t> step = {});
  TrainedModel(const TrainedModel&) = delete;
  TrainedModel& operator=(const TrainedModel&) = delete;

  std::int64_t step() const { return step_; }
  const TrainingSetup& setup() const { return setup_; }
  const runtime::Client& client() const { return client_; }
  /// The leaves of the parameters; of their moving average if wanted and the learner keeps one.
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

/// Runs these evaluators of the job, all if none is named, and gives "evaluator/metric". Throws
/// invalid_argument with the nearest name for one that is not there.
Results evaluate(const Job& job, const TrainedModel& model, std::vector<std::string> evaluators);

}  // namespace meshwright::train
