// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/run.h"

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/train/loop/preset.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/resolve.h"
#include "meshwright/train/trainer/run_notes.h"
#include "meshwright/train/trainer/run_parts.h"
#include "meshwright/train/trainer/session.h"
#include "meshwright/train/trainer/starting_state.h"
#include "meshwright/train/trainer/trainer.h"

namespace meshwright::train {
namespace {

void check(const Job& job) {
  const bool restores_one = job.config.checkpoint.restore.step.has_value();
  MW_CHECK(!job.fresh || !restores_one, "checkpoint.restore_step resumes from a checkpoint, ",
           "Job::fresh starts without one: set one or the other");
  MW_CHECK(!job.goes_back || restores_one, "Job::goes_back requires a step\nset ",
           "checkpoint.restore_step to the step of a checkpoint");
}

// A run from start to end.
Outcome train(const Job& job, const runtime::Client& client, Session& session) {
  std::optional<Watchdog::Pause> preparing(std::in_place, session.watchdog());
  RunParts parts(job, session, client);
  StartingState state(job, parts, session, client);

  log_info("compiling the step");  // in the background, while the state is read or initialised
  session.times().turn_to(Spent::compiling);
  StepRunner runner(client, parts.setup, job.source->spec(), job.config.step,
                    job.config.checkpoint.saving.snapshot == checkpoint::SnapshotKind::hold);
  const Position start = state.load(runner);
  session.times().continue_from(last_told(*session.folder().files(), "metrics.jsonl"), start.times);
  write_descriptions(job, parts.setup.layout, session.folder());
  Trainer trainer({job, client, session, parts, state, runner}, start);
  preparing.reset();

  trainer.call_hooks(HookTime::before_actions);
  while (true) {
    while (const std::optional<Item> item = trainer.next_item())
      trainer.act(*item);
    if (trainer.is_over()) return trainer.finish();
    const NextBatch next = trainer.next_batch();
    trainer.record_verdict(next.batch ? trainer.update(*next.batch) : next.otherwise);
  }
}

}  // namespace

Outcome run(const Job& job, const runtime::Client& client) {
  const StartupSignals startup_signals;
  check(job);
  Job resolved = job;
  resolve(resolved.config, default_preset());
  Session session(resolved, client);
  try {
    Outcome out = train(resolved, client, session);
    session.folder().check_in_place();
    return out;
  } catch (const Error& error) {
    session.stop_trace();
    session.explain(error);
    throw;
  }
}

Outcome run(const Job& job) {
  const StartupSignals startup_signals;
  const std::int64_t num_devices = job.placement.mesh.num_devices();
  return run(job, runtime::open({.num_devices = static_cast<int>(num_devices)}));
}

}  // namespace meshwright::train
