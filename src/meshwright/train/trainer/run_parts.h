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
  /// Throws invalid_argument if the job's parts are incompatible. Describes the run on the console.
  RunParts(const Job& job, Session& session, const runtime::Client& client);

  const TrainingSetup setup;
  std::vector<Evaluator> evaluators;
  checkpoint::Manager checkpoints;
  const optim::RunLength length;
  const StepWork work;  // of one update
};

/// Returns the agenda for the job's boundaries.
Agenda make_agenda(const Job& job, const RunParts& parts);

}  // namespace meshwright::train
