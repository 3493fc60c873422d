// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/loop/agenda.h"
#include "meshwright/train/loop/run_length.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/job.h"
#include "meshwright/train/trainer/session.h"

namespace meshwright::train {

/// The parts of a run that are made from its job before anything is compiled. The job and the
/// session must outlive them.
struct RunParts {
  /// Throws the errors of check_settings(), then opens the data of the evaluators. Describes the
  /// run on the console.
  RunParts(const Job& job, Session& session, const runtime::Client& client);

  const optim::RunLength length;
  const TrainingSetup setup;
  Agenda agenda;
  checkpoint::Manager checkpoints;
  std::vector<Evaluator> evaluators;
  const StepWork work;  // of one update
};

/// Throws invalid_argument if the job's parts are incompatible, as far as this can be said before
/// the data is opened. The config must be resolved.
void check_settings(const Job& job, const optim::RunLength& length);

}  // namespace meshwright::train
