// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/trained_model.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/base/nearest.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/restore/restore.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/train/eval/eval_files.h"
#include "meshwright/train/foreign/foreign_layouts.h"
#include "meshwright/train/restore/match_arrays.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/suitability.h"

namespace meshwright::train {
namespace {

// The parts of a checkpoint that are read: evaluation needs no optimizer state.
constexpr const char* kModel = "model";
constexpr const char* kEma = "learner/ema";

using checkpoint::Stored;
using Use = checkpoint::Manager::Use;

// A concurrent run may delete a checkpoint while it is read; then a newer one exists.
void read_newest_with(checkpoint::Manager& checkpoints, const std::string& folder, const Use& use) {
  constexpr int kMaxAttempts = 10;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const std::int64_t newest = checkpoints.steps().back();
    try {
      return checkpoints.read_with(newest, use);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::invalid_argument) throw;
      const std::vector<std::int64_t> now = checkpoints.steps();
      if (now.empty() || now.back() == newest) break;
    }
  }
  if (checkpoints.read_newest_with(use)) return;
  fail(ErrorCode::no_checkpoint, "no readable checkpoint in ", folder);
}

void use_checkpoint(const Job& job,
                    const ParamSpecs& state,
                    std::optional<std::int64_t> step,
                    const Use& use) {
  const checkpoint::Files files = checkpoint::files_of_checkpoints(job.config.dir);
  const std::string folder = files->full_name("");
  checkpoint::Manager checkpoints(
      {.foreign_layout = layouts_of(job.systems, *job.task, job.learner, job.config.seed, state),
       .read_only = true,
       .files = files});
  const std::vector<std::int64_t> steps = checkpoints.steps();
  if (steps.empty()) {
    fail(ErrorCode::no_checkpoint, "no checkpoint in ", folder,
         "\nset dir=PATH to the folder of a run that has saved");
  }
  if (!step) return read_newest_with(checkpoints, folder, use);
  if (std::ranges::find(steps, *step) == steps.end()) {
    fail(ErrorCode::no_checkpoint, "no checkpoint of step ", *step, " in ", folder,
         "\navailable steps: ", join(steps, ", "));
  }
  checkpoints.read_with(*step, use);
}

}  // namespace

TrainedModel::TrainedModel(const Job& job,
                           const runtime::Client& client,
                           std::optional<std::int64_t> step)
    : client_(client), setup_(setup_of(job)) {
  use_checkpoint(job, setup_.layout.specs, step, [&](const Stored& saved) {
    const Stored stored =
        in_own_dtypes(saved, types_of(setup_.layout.specs), job.config.checkpoint.restore);
    step_ = stored.step;
    params_ = put(stored, kModel, job);
    if (setup_.learner.has_ema()) ema_ = put(stored, kEma, job);
  });
}

std::vector<runtime::DeviceArray> TrainedModel::put(const Stored& stored,
                                                    std::string_view path,
                                                    const Job& job) const {
  const std::string there = str("the checkpoint of step ", step_);
  const std::string reason = reason_of(changes_of_state(changes_since(stored, job)), step_);
  const Tree<checkpoint::StoredArray>* found = stored.arrays.find(path);
  if (found == nullptr) {
    fail(ErrorCode::invalid_argument, reason, there, " has no ", path,
         reason.empty() ? "\nit may be from a run with another config" : "");
  }
  auto compare = [](const checkpoint::StoredArray& saved, const ParamSpec& spec) {
    return saved.type() == spec.type ? "" : str(saved.type(), " and ", spec.type);
  };
  std::vector<std::string> differing =
      differences(*found, setup_.layout.specs.at(path), compare, there, "this config");
  if (!differing.empty()) {
    fail(ErrorCode::invalid_argument, reason, there, " does not match this config:\n  ",
         short_list(differing));
  }
  return leaves(checkpoint::restore_arrays(*found, client_, setup_.placement.mesh,
                                           setup_.layout.shardings.at(path)));
}

const std::vector<runtime::DeviceArray>& TrainedModel::params(bool use_ema) const {
  return use_ema && setup_.learner.has_ema() ? ema_ : params_;
}

Results evaluate(const Job& job, const TrainedModel& model, std::vector<std::string> evaluators) {
  std::vector<std::string> known;
  for (const auto& [name, config] : job.config.evaluators)
    known.push_back(name);
  MW_CHECK(!known.empty(), "the job has no evaluators\nadd some to its config (evaluators)");
  if (evaluators.empty()) evaluators = known;
  Results out;
  for (const std::string& name : evaluators) {
    auto config = job.config.evaluators.find(name);
    MW_CHECK(config != job.config.evaluators.end(), "no evaluator '", name, "'",
             did_you_mean(name, known));
    Evaluator evaluator(name, config->second, model.setup(), job.eval_sources.at(name));
    EvalFiles files(io::open_file_system(job.config.dir), evaluator, model.step());
    std::optional<Evaluation> found =
        evaluator.run(model.client(), model.params(config->second.use_ema),
                      eval_key(job.config.seed), files.hooks({}));
    files.finish();
    for (const metrics::Entry& entry : found->entries)
      out[name + "/" + entry.name] = std::get<metrics::WeightedScalar>(entry.value).mean;
    for (const std::string& line : found->shown)
      log_info("  ", line);
  }
  return out;
}

}  // namespace meshwright::train
