// SPDX-License-Identifier: Apache-2.0
// Converts a job's settings to those of the trainer's parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/data/prefetcher.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/report/run_folder.h"
#include "meshwright/train/trainer/config.h"
#include "meshwright/train/trainer/trainer.h"

namespace meshwright::train {

nn::InitRules init_rules(const TrainConfig& config);
/// Warns of rules that match no parameter.
std::vector<std::string> init_warnings(const nn::InitRules& rules, const ParamSpecs& params);
/// The setting that the job's programs are traced for. The job must outlive it.
OwningSetting setting_of(const Job& job);
StepOptions step_options(const TrainConfig& config);
data::PrefetchOptions prefetch_options(const PrefetchConfig& config);

/// Throws invalid_argument for an evaluator without data.
std::vector<Evaluator> make_evaluators(const Job& job, const Setting& setting);
std::vector<AgendaEvaluator> agenda_evaluators(const std::vector<Evaluator>& evaluators);

/// Returns the work of one step. Logs the peak FLOP/s assumed for the devices.
StepWork step_work(const Job& job, const Setting& setting, const runtime::Client& client);

/// Throws invalid_argument, with the keys of the config that have changed, if the job cannot go on
/// from this checkpoint: it is of another model, learner or data.
void check_suits(const checkpoint::Stored& stored, const Job& job, const StateLayout& layout);

/// Returns the differences between the job's config and the checkpoint's.
std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored, const Job& job);

/// Returns what bits may depend on, for checkpoints.
checkpoint::Meta environment(const runtime::Client& client);
void warn_of_other_environment(const checkpoint::Meta& then, const checkpoint::Meta& now);
/// Describes XLA flags and plugin variables; empty if none is set.
std::string environment_text();

/// Returns the metric of checkpoint.keep_best; nothing if its evaluator did not run at this
/// boundary.
std::optional<double> metric_for_retention(const checkpoint::Retention& retention,
                                           const Boundary& boundary);

/// The checkpoint that a run goes on from, for those that it makes: run, step, digest.
checkpoint::Meta lineage(const RunFolder& folder, const checkpoint::Stored& stored);

/// This one among those of the run.
int process_of(const runtime::Client& client);

}  // namespace meshwright::train
