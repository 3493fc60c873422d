// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/dry_run.h"

#include <chrono>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/mesh/shards.h"
#include "meshwright/nn/flops.h"
#include "meshwright/train/foreign/foreign_layouts.h"
#include "meshwright/train/restore/choose_checkpoint.h"
#include "meshwright/train/restore/initial_state.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/suitability.h"

namespace meshwright::train {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void count_state(const StateLayout& layout, const mesh::Mesh& mesh, DryRun& out) {
  const std::vector<mesh::Sharding> shardings = leaves(layout.shardings);
  std::size_t next = 0;
  for_each(layout.specs, [&](const std::string&, const ParamSpec& spec) {
    ArrayType shard = spec.type;
    shard.dims = mesh::shard_dims(mesh, shardings[next++], spec.type.dims);
    out.state_bytes += spec.type.num_bytes();
    out.state_bytes_per_device += shard.num_bytes();
  });
}

std::int64_t batch_bytes(const data::Source& source) {
  std::int64_t out = 0;
  for_each(source.spec(), [&](const data::ArraySpec& spec) { out += spec.type.num_bytes(); });
  return out;
}

std::optional<std::int64_t> find_start(const Job& job, const StateLayout& layout) {
  if (job.fresh) return std::nullopt;
  checkpoint::Manager checkpoints({.foreign_layout = layouts_of(job.systems, *job.task, job.learner,
                                                                job.config.seed, layout.specs),
                                   .read_only = true,
                                   .files = checkpoint::files_of_checkpoints(job.config.dir)});
  const CheckpointChoice restorer(
      checkpoints, io::open_file_system(job.config.dir),
      {.step = job.config.checkpoint.restore.step, .goes_back = job.goes_back});
  std::vector<ConfigChange> changes;
  const std::optional<std::int64_t> step = restorer.restore([&](const checkpoint::Stored& stored) {
    check_suits(stored, job, layout);
    changes = changes_since(stored, job);
  });
  if (step) tell(changes, *step);
  return step;
}

void compile_step(const Job& job,
                  const TrainingSetup& setup,
                  const runtime::Client& client,
                  DryRun& out) {
  const auto start = std::chrono::steady_clock::now();
  const StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  const runtime::Executable executable =
      client.compile(step.program, compile_options(job.placement));
  out.compile_seconds = seconds_since(start);
  out.flops_per_step = nn::num_flops(step.program);
  out.is_from_cache = executable.is_from_cache();
  out.memory = executable.memory();
}

}  // namespace

DryRun dry_run(const Job& job, const runtime::Client& client) {
  const TrainingSetup setup = setup_of(job);
  const StateLayout& layout = setup.layout;
  for (const std::string& warning : layout.warnings)
    log_warning(warning);
  for (const std::string& warning : setup.learner.warnings())
    log_warning(warning);
  for (const std::string& warning : init_warnings(setup.init_rules, job.task->param_specs()))
    log_warning(warning);
  DryRun out{.params = describe_params(layout), .num_params = num_params(layout)};
  out.num_devices = static_cast<int>(job.placement.mesh.num_devices());
  count_state(layout, job.placement.mesh, out);
  out.batch_bytes = batch_bytes(*job.source);
  for (const auto& [name, config] : job.config.evaluators) {
    (void)Evaluator(name, config, setup, job.eval_sources.at(name)).trace();
  }
  out.restored_step = find_start(job, layout);
  // The result is discarded; the call shows that a run could start with it.
  if (!out.restored_step) build_early(layout, job.init_state);
  compile_step(job, setup, client, out);
  return out;
}

}  // namespace meshwright::train
