// SPDX-License-Identifier: Apache-2.0
// The trainer's settings as its parts take them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/stored.h"
#include "meshwright/data/prefetcher.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/config.h"
#include "meshwright/train/pace.h"
#include "meshwright/train/run_folder.h"
#include "meshwright/train/trainer.h"

namespace meshwright::train {

nn::InitRules init_rules(const TrainConfig& config);
/// Of rules that no parameter of the task is drawn by.
std::vector<std::string> init_warnings(const nn::InitRules& rules, const ParamSpecs& params);
/// What the job's programs are traced for. The job must outlive it.
OwningSetting setting_of(const Job& job);
StepOptions step_options(const TrainConfig& config);
data::PrefetchOptions prefetch_options(const PrefetchConfig& config);

/// Throws invalid_argument for an evaluator without data.
std::vector<Evaluator> make_evaluators(const Job& job, const Setting& setting);
std::vector<AgendaEvaluator> agenda_evaluators(const std::vector<Evaluator>& evaluators);

/// Of one step. Says what peak FLOP/s are taken for the devices.
StepWork step_work(const Job& job, const Setting& setting, const runtime::Client& client);

/// Throws invalid_argument, with the keys of the config that have changed, if the job cannot go on
/// from this checkpoint: it is of another model, learner or data.
void check_suits(const checkpoint::Stored& stored, const Job& job, const StateLayout& layout);

/// How the job's config differs from the one in the checkpoint.
std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored, const Job& job);

/// What bits may depend on, for checkpoints.
checkpoint::Meta environment(const runtime::Client& client);
void warn_of_other_environment(const checkpoint::Meta& then, const checkpoint::Meta& now);
/// Flags of XLA and variables of its plugins, for people; empty where nothing is set.
std::string environment_text();

/// What checkpoint.keep_best goes by; nothing if its evaluator did not run at this boundary.
std::optional<double> metric_for_retention(const checkpoint::Retention& retention,
                                           const Boundary& boundary);

/// The checkpoint that a run goes on from, for those that it makes: run, step, digest.
checkpoint::Meta lineage(const RunFolder& folder, const checkpoint::Stored& stored);

/// This one among those of the run.
int process_of(const runtime::Client& client);

}  // namespace meshwright::train
