// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/run_parts.h"

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/foreign/foreign_layouts.h"
#include "meshwright/train/report/peak_flops.h"
#include "meshwright/train/trainer/environment.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/run_notes.h"

namespace meshwright::train {
namespace {

Agenda make_agenda(const Job& job, const optim::RunLength& length) {
  std::vector<AgendaEvaluator> evaluators;
  for (const auto& [name, config] : job.config.evaluators)
    evaluators.push_back({name, config.when.value()});
  return {job.config.loop, job.config.checkpoint.when.value(), evaluators, length};
}

void check_evaluators(const Job& job) {
  for (const auto& [name, config] : job.config.evaluators)
    check_evaluator(name, config, *job.task);
  if (const auto& best = job.config.checkpoint.retention.keep_best) {
    MW_CHECK(best->event_files || job.config.evaluators.contains(best->evaluator),
             "checkpoint.keep_best.evaluator: no evaluator '", best->evaluator, "'");
  }
}

// Opens the data of the evaluators.
std::vector<Evaluator> make_evaluators(const Job& job, const TrainingSetup& setup) {
  check_evaluators(job);
  std::vector<Evaluator> out;
  for (const auto& [name, config] : job.config.evaluators) {
    auto source = job.eval_sources.find(name);
    MW_CHECK(source != job.eval_sources.end(), "evaluator '", name, "': no data source");
    out.emplace_back(name, config, setup, source->second, job.config.prefetch.batches);
  }
  return out;
}

checkpoint::ManagerOptions manager_options(const Job& job,
                                           const TrainingSetup& setup,
                                           RunFolder& folder) {
  const CheckpointConfig& config = job.config.checkpoint;
  checkpoint::SaveOptions saving = config.saving;
  if (const auto& dtype = config.restore.params_dtype) saving.params_dtype = *dtype;
  return {.format = config.format,
          .retention = config.retention,
          .saving = saving,
          .foreign_layout =
              layouts_of(job.systems, *job.task, job.learner, job.config.seed, setup.layout.specs),
          .files = folder.checkpoints(),
          .run_id = folder.id()};
}

StepWork step_work(const Job& job, const TrainingSetup& setup, const runtime::Client& client) {
  StepWork out;
  out.num_examples = static_cast<double>(data::batch_size(*job.source));
  out.num_tokens = out.num_examples * static_cast<double>(job.task->tokens_per_example());
  out.num_flops = num_step_flops(setup, job.source->spec());
  const std::vector<runtime::DeviceInfo> devices = client.devices();
  const std::string kind = devices.empty() ? "unknown" : devices[0].kind;
  const std::optional<double> peak =
      job.config.peak_flops ? job.config.peak_flops : peak_flops(kind);
  if (peak) out.peak_flops = *peak * static_cast<double>(job.placement.mesh.num_devices());
  log_info("device kind: ", kind,
           "; peak FLOP/s: ", peak ? metrics::whole_number(*peak) : "unknown, see peak_flops",
           "; FLOPs per step: ", metrics::whole_number(out.num_flops));
  return out;
}

StepWork describe_work(const Job& job,
                       const RunParts& parts,
                       Session& session,
                       const runtime::Client& client) {
  const std::string warning = layout_warning(job.systems, *job.task, job.config.checkpoint.format);
  if (!warning.empty()) log_warning(warning);
  describe(parts.setup, parts.evaluators, session.folder());
  if (const std::string environment = environment_text(); !environment.empty())
    log_info(environment);
  return step_work(job, parts.setup, client);
}

}  // namespace

void check_settings(const Job& job, const optim::RunLength& length) {
  (void)setup_of(job);
  (void)make_agenda(job, length);
  check_evaluators(job);
}

RunParts::RunParts(const Job& job, Session& session, const runtime::Client& client)
    : length(run_length(job.source, *job.task, job.config.max_step)),
      setup(setup_of(job)),
      agenda(make_agenda(job, length)),
      checkpoints(manager_options(job, setup, session.folder())),
      evaluators(make_evaluators(job, setup)),
      work(describe_work(job, *this, session, client)) {}

}  // namespace meshwright::train
