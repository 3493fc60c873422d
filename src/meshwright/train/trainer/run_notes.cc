// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/run_notes.h"

#include "meshwright/base/counted.h"
#include "meshwright/base/log.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/report/earlier_configs.h"
#include "meshwright/train/task/model_outputs.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::train {

void write_descriptions(const Job& job, const StateLayout& layout, const RunFolder& folder) {
  keep_earlier_config(*folder.files(), job.resolved_config);
  folder.write_text(checkpoint::kRunConfig, job.resolved_config);
  for (const auto& [name, content] : job.kept_files)
    folder.write_text(name, content);
  folder.write_text("trainer_state_tree.txt", describe_state(layout));
  folder.write_text("params.txt", describe_params(layout));
}

void describe(const TrainingSetup& setup,
              const std::vector<Evaluator>& evaluators,
              const RunFolder& folder) {
  for (const std::string& warning : setup.layout.warnings)
    log_warning(warning);
  for (const std::string& warning : setup.learner.warnings())
    log_warning(warning);
  for (const std::string& warning : init_warnings(setup.init_rules, setup.task.param_specs()))
    log_warning(warning);
  log_info("model: ", with_separators(num_params(setup.layout)), " parameters; training state: ",
           metrics::byte_count(static_cast<double>(num_state_bytes(setup.layout))),
           "; mesh: ", setup.placement.mesh, "; folder: ", folder.name());
  for_each(setup.task.param_specs(), [&](const std::string& path, const ParamSpec&) {
    if (!setup.learner.needs_gradient(path)) log_at(1, "no gradient for ", path);
  });
  std::vector<std::string> on_averages;
  for (const Evaluator& evaluator : evaluators) {
    if (judges_average(evaluator.config(), setup.learner)) on_averages.push_back(evaluator.name());
  }
  if (!on_averages.empty())
    log_info("evaluators of the moving average of the parameters: ", join(on_averages, ", "));
}

void tell(Reporter& reporter,
          std::int64_t step,
          const std::string& evaluator,
          const Evaluation& found) {
  std::vector<std::string> texts;
  for (const metrics::Entry& entry : found.entries) {
    const double mean = std::get<metrics::WeightedScalar>(entry.value).mean;
    if (!is_summary(entry.name)) texts.push_back(str(entry.name, " ", metrics::significant(mean)));
  }
  log_info(evaluator, " at step ", step, ": ", join(texts, ", "));
  for (const std::string& line : found.shown)
    log_info("  ", line);
  std::vector<metrics::Entry> entries = found.entries;
  entries.push_back({"eval_time_secs", found.seconds});
  entries.push_back({"data_wait_secs", found.wait_seconds});
  reporter.evaluation(step, evaluator, entries, found.shown);
}

std::string shapes_of(const data::Batch& batch) {
  std::vector<std::string> out;
  for_each(batch, [&](const std::string& path, const HostTensor& array) {
    out.push_back(str(path, "=", array.type()));
  });
  return join(out, " ");
}

std::string nothing_to_do(std::int64_t step, std::int64_t max_step) {
  const std::string found =
      step > max_step ? str("nothing to do: the checkpoint is of step ", step, ", past max_step ")
                      : std::string("already reached max_step ");
  return str(found, max_step, "; a larger max_step trains further");
}

std::string why(const Boundary& last) {
  switch (last.stop.value()) {
    case StopReason::max_step:
      return str("reached max_step ", last.step);
    case StopReason::end_of_data:
      return str("reached the end of the data at step ", last.step);
    case StopReason::no_improvement:
      return str("stopped early at step ", last.step);
    case StopReason::requested:
      return str("asked to stop at step ", last.step);
  }
  return "";
}

}  // namespace meshwright::train
