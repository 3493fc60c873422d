// SPDX-License-Identifier: Apache-2.0
#include "programs.h"

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/digest.h"
#include "meshwright/cli/job.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::config_keys {
namespace {

// The devices are never opened.
train::Job job_of(const cli::RunConfig& config) {
  std::vector<runtime::DeviceInfo> devices;
  for (int id = 0; id < config.mesh.num_devices; ++id)
    devices.push_back({.id = id, .kind = "cpu"});
  return cli::make_job(config, devices);
}

std::string text_of(const graph::Program& program, const train::Placement& placement) {
  const bool use_kernels = train::compile_options(placement).use_kernels;
  return graph::write_stablehlo(graph::place_kernels(program, use_kernels ? "cpu" : ""));
}

// A task whose parameters declare their weight decay and which of their dimensions are rows and
// columns.
class DeclaringTask : public train::Task {
 public:
  explicit DeclaringTask(std::shared_ptr<const train::Task> task) : task_(std::move(task)) {}

  std::string name() const override { return task_->name(); }
  ParamSpecs param_specs() const override {
    return map(task_->param_specs(), [](ParamSpec spec) {
      spec.weight_decay_scale = 0.5;
      const std::size_t rank = spec.type.dims.size();
      if (rank >= 2) {
        spec.factorization.assign(rank, FactorRole::none);
        spec.factorization[rank - 2] = FactorRole::row;
        spec.factorization[rank - 1] = FactorRole::col;
      }
      return spec;
    });
  }
  graph::AxisSizes dims() const override { return task_->dims(); }
  train::ValueTree init(const graph::random::Key& key, const nn::InitRules& rules) const override {
    return task_->init(key, rules);
  }
  train::TaskLoss loss(const train::TaskInput& input) const override { return task_->loss(input); }

 private:
  std::shared_ptr<const train::Task> task_;
};

std::string step_program_of(const train::Job& job) {
  const train::TrainingSetup setup = train::setup_of(job);
  const train::StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  return text_of(step.program, job.placement) + join(step.metric_names, "\n");
}

std::string digest_of(const data::Source& source) {
  Digest digest;
  for (std::int64_t step = 0; step < 2; ++step) {
    for_each(data::whole_batch(source, step), [&](const std::string& path, const HostTensor& x) {
      digest.update(str(path, x.type()));
      digest.update({reinterpret_cast<const char*>(x.data()), x.num_bytes()});
    });
  }
  return str(source.num_batches().value_or(-1), " batches, ", digest.hex());
}

}  // namespace

std::string step_program(const cli::RunConfig& config) {
  return step_program_of(job_of(config));
}

std::string step_program_or_error(const cli::RunConfig& config) {
  std::string out;
  const std::string error = message_of([&] { out = step_program(config); });
  return out + error;
}

std::string declaring_step_program(const cli::RunConfig& config) {
  train::Job job = job_of(config);
  job.task = std::make_shared<DeclaringTask>(job.task);
  return step_program_of(job);
}

std::string init_program(const cli::RunConfig& config) {
  const train::Job job = job_of(config);
  const train::TrainingSetup setup = train::setup_of(job);
  return text_of(trace_init(setup), job.placement);
}

std::string eval_program(const cli::RunConfig& config) {
  const train::Job job = job_of(config);
  const train::TrainingSetup setup = train::setup_of(job);
  const train::Evaluator evaluator("name", job.config.evaluators.at("name"), setup,
                                   job.eval_sources.at("name"));
  const train::EvalProgram eval = evaluator.trace();
  return text_of(eval.program, job.placement) + join(eval.metric_names, "\n");
}

std::string batches(const cli::RunConfig& config) {
  const train::Job job = job_of(config);
  return digest_of(*data::without(job.source, job.skipped_batches));
}

std::string eval_batches(const cli::RunConfig& config) {
  return digest_of(*job_of(config).eval_sources.at("name"));
}

std::string placement(const cli::RunConfig& config) {
  std::string out;
  const std::string error = message_of([&] { out = to_string(job_of(config).placement.mesh); });
  return str(out, "\n", error);
}

}  // namespace meshwright::config_keys
