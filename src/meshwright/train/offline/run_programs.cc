// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/run_programs.h"

#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/runtime/program_bundle.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/restore/config_changes.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::train {
namespace {

std::string reason_of(const Job& job, const std::string& compiled_config) {
  std::vector<ConfigChange> changes =
      config_changes(compiled_config, job.resolved_config, job.is_scheduled_by_max_step);
  std::erase_if(changes, [](const ConfigChange& change) { return change.is_harmless; });
  if (changes.empty()) return "it was compiled by another version of Meshwright";
  return str("the config has changed since:", text_of(changes));
}

}  // namespace

std::vector<RunProgram> run_programs(const Job& job) {
  const TrainingSetup setup = setup_of(job);
  const StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  std::vector<RunProgram> out = {{"step", step.program}};
  if (job.config.checkpoint.saving.snapshot == checkpoint::SnapshotKind::hold)
    out.push_back({"step that keeps its arguments", without_donation(step.program)});
  out.push_back({"init", trace_init(setup, {})});
  for (const auto& [name, config] : job.config.evaluators)
    out.push_back({"evaluators." + name,
                   trace_evaluator(name, config, setup, *job.eval_sources.at(name)).program});
  return out;
}

void check_bundle(const Job& job, const runtime::Client& client) {
  const TrainingSetup setup = setup_of(job);
  const StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  if (client.is_bundled(step.program, compile_options(job.placement))) return;
  fail(ErrorCode::invalid_argument,
       "the bundle holds no step for this config: ", reason_of(job, client.bundle()->config),
       "\ncompile one for this config");
}

}  // namespace meshwright::train
