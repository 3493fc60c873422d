// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/job.h"

#include "meshwright/base/machine_memory.h"
#include "meshwright/cli/check_for_any_epoch.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/cli/preset.h"
#include "meshwright/config/config.h"
#include "meshwright/data/text/kept_tokenizer.h"
#include "meshwright/systems/list/all_systems.h"
#include "meshwright/train/foreign/foreign_layouts.h"
#include "meshwright/train/loop/run_length.h"

namespace meshwright::cli {
namespace {

void check_contents(const RunConfig& config) {
  const std::string trained_on = data::contents(config.data);
  for (const auto& [name, entry] : config.train.evaluators) {
    const std::string judged_on = data::contents(entry.data);
    MW_CHECK(trained_on == judged_on || trained_on.empty() || judged_on.empty(), "evaluators.",
             name, ".data: a model of ", trained_on, " cannot be evaluated on ", judged_on);
  }
}

TaskConfig for_devices(TaskConfig config, std::string_view platform, const mesh::Mesh& mesh) {
  auto choose = [&](auto& task) {
    if constexpr (requires { task.model.choose_stack(platform, 1); })
      task.model.choose_stack(platform, mesh.num_devices());
  };
  std::visit(choose, static_cast<TaskChoice&>(config));
  return config;
}

void check_memories(const TaskConfig& config, std::span<const runtime::DeviceInfo> devices) {
  auto check = [&](const auto& task) {
    if constexpr (requires { task.model.offload; })
      if (task.model.offload) check_pinned_memory("task.model.offload", devices);
  };
  std::visit(check, static_cast<const TaskChoice&>(config));
}

// A larger batch would exhaust the machine's memory before it fails.
void check_batch(const data::Source& source, std::int64_t num_microbatches) {
  std::int64_t needed = 0;
  for_each(source.spec(), [&](const data::ArraySpec& spec) { needed += spec.type.num_bytes(); });
  const std::int64_t there = machine_memory_bytes();
  MW_CHECK(needed <= there, "data: a batch of ", data::batch_size(source), " takes ",
           human_bytes(needed), ", and this machine has ", human_bytes(there),
           " of memory\nreduce data.batch_size");
  const std::int64_t size = data::batch_size(source);
  MW_CHECK(size % num_microbatches == 0, "num_microbatches: a batch of ", size,
           " cannot be split into ", num_microbatches, " equal microbatches");
}

// Throws invalid_argument unless the batch splits evenly over the devices.
void check_rows(const data::Source& source,
                const train::Placement& placement,
                const std::string& key) {
  const mesh::AxisRule* rule = placement.activations.find(data::kBatchAxis);
  if (rule == nullptr) return;
  std::int64_t num_shards = 1;
  std::vector<std::string> axes;
  for (const std::string& axis : rule->mesh_axes) {
    num_shards *= placement.mesh.axis_size(axis);
    axes.push_back(str(axis, "=", placement.mesh.axis_size(axis)));
  }
  const std::int64_t size = data::batch_size(source);
  const std::int64_t above = (size + num_shards - 1) / num_shards * num_shards;
  MW_CHECK(size % num_shards == 0, key, " is ", size, ", which cannot be split evenly over mesh ",
           axes.size() == 1 ? "axis " : "axes ", join(axes, ", "), "\na multiple of ", num_shards,
           ": ", key, "=", above);
}

void set_learner(const RunConfig& config, const optim::RunLength& run, train::Job& job) {
  const ParamSpecs params = job.task->param_specs();
  job.learner = optim::learner_options(config.optimizer, config.learner, run, params);
  job.is_scheduled_by_max_step =
      optim::depends_on_total_steps(config.optimizer, config.learner, run, params);
}

}  // namespace

data::RunData open_data(const RunConfig& config, data::DataUse use) {
  return data::open_run_data(config.data, config.train.seed, config.train.dir, use);
}

train::Job make_job(const RunConfig& config, std::span<const runtime::DeviceInfo> devices) {
  return make_job(config, devices, open_data(config, data::DataUse::batches));
}

train::Job make_job(const RunConfig& written,
                    std::span<const runtime::DeviceInfo> devices,
                    const data::RunData& data) {
  RunConfig config = with_preset(written);
  check_contents(config);
  const std::int64_t seed = config.train.seed;
  config.task = with_vocab(config.task, data::num_tokens(config.data, data));
  train::Job job;
  job.config = config.train;
  job.source = data::make_source(config.data, data);
  job.skipped_batches = data::skipped_batches(config.data);
  check_batch(*job.source, config.train.step.num_microbatches);
  for (const auto& [name, entry] : config.train.evaluators) {
    MW_CHECK(
        !data::is_for_training_only(entry.data), "evaluators.", name,
        ".data.type: text, tokens and mixtures are for training data only\nto evaluate on text: "
        "held_out_text, with a path for other files");
    job.eval_sources[name] = data::make_source(entry.data, data);
  }
  job.placement = make_placement(config.mesh, config.sharding, devices);
  job.task = make_task(for_devices(config.task, config.mesh.platform, job.placement.mesh),
                       *job.source, config.data, data);
  check_memories(config.task, devices);
  job.placement.target = {
      .platform = config.mesh.platform,
      .wants_kernels = config.kernels == "auto",
      .compute_capability = devices.empty() ? 0 : devices[0].compute_capability};
  check_rows(*job.source, job.placement, "data.batch_size");
  for (const auto& [name, source] : job.eval_sources)
    check_rows(*source, job.placement, str("evaluators.", name, ".data.batch_size"));
  job.systems = systems::all_systems();
  optim::RunLength run{.is_known = false};
  if (data.use == data::DataUse::batches) {
    check_for_any_epoch(config, job);
    run = train::run_length(job.source, *job.task, config.train.max_step);
  }
  set_learner(config, run, job);
  if (config.init_state) {
    job.init_state = train::state_builder(
        *config.init_state,
        [task = job.task, find = train::layouts_of(job.systems, *job.task, job.learner, seed)](
            auto format, const auto& paths) { return find(format, paths); },
        systems::system_names());
    job.begins_at_built_step = config.init_state->all;
  }
  job.resolved_config = config::to_toml(config);
  if (data.text) job.kept_files = data::kept_files(data.text->opened_tokenizer());
  return job;
}

JobWithoutData make_job_without_data(const RunConfig& config,
                                     std::span<const runtime::DeviceInfo> devices) {
  constexpr std::int64_t kBatchesPerEpoch = 1000;
  JobWithoutData out{.job = make_job(config, devices, open_data(config, data::DataUse::spec_only))};
  const data::Source& source = *out.job.source;
  auto epoch_examples = [&] {
    out.depends_on_epochs = true;
    return kBatchesPerEpoch * data::batch_size(source);
  };
  set_learner(
      with_preset(config),
      train::run_length_with_epochs(source, *out.job.task, config.train.max_step, epoch_examples),
      out.job);
  return out;
}

}  // namespace meshwright::cli
