// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/job.h"

#include <memory>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/data/arithmetic.h"
#include "meshwright/data/lm_batch.h"
#include "meshwright/data/synthetic.h"
#include "meshwright/mesh/mesh_spec.h"

namespace meshwright::cli {
namespace {

// --- data -------------------------------------------------------------------------------------

data::SourcePtr make_source(const ArithmeticData& c, std::int64_t seed) {
  return std::make_shared<data::ArithmeticSource>(data::ArithmeticOptions{
      .batch_size = c.batch_size, .seed = seed, .num_digits = static_cast<int>(c.num_digits)});
}
data::SourcePtr make_source(const HeldOutArithmeticData& c, std::int64_t) {
  return data::held_out_arithmetic(c.batch_size, static_cast<int>(c.num_digits));
}
data::SourcePtr make_source(const RandomTokensData& c, std::int64_t seed) {
  return std::make_shared<data::RandomTokens>(data::RandomTokensOptions{
      .batch_size = c.batch_size, .length = c.length, .vocab_size = c.vocab_size, .seed = seed});
}
data::SourcePtr make_source(const DataConfig& config, std::int64_t seed) {
  return std::visit([&](const auto& c) { return make_source(c, seed); }, config);
}

// --- tasks ------------------------------------------------------------------------------------

std::optional<tasks::LmContinuation> arithmetic_continuation(const DataConfig& data) {
  const auto* config = std::get_if<ArithmeticData>(&data);
  if (config == nullptr) return std::nullopt;
  data::ArithmeticText text(static_cast<int>(config->num_digits));
  tasks::LmContinuation out{.prompt_len = text.question_length()};
  out.shown = [text](std::span<const std::int32_t> prompt, std::span<const std::int32_t> answer) {
    std::optional<data::Addition> problem = text.find_problem(prompt);
    return problem ? text.shown(*problem, answer) : std::string("(padding)");
  };
  return out;
}

std::shared_ptr<const train::Task> make_task(const tasks::LmConfig& config,
                                             const data::Source& source,
                                             const DataConfig& data) {
  const data::BatchSpec* inputs = source.spec().find(data::kInputs);
  MW_CHECK(inputs != nullptr, "task lm: the data '", source.name(), "' has no inputs");
  return std::make_shared<tasks::LmTask>(config, inputs->value().type.dims.at(1),
                                         arithmetic_continuation(data));
}

// --- optimizers -------------------------------------------------------------------------------

optim::RunLength run_length(const RunConfig& config, const train::Job& job) {
  optim::RunLength out{.total_steps = config.max_step,
                       .batch_examples = data::batch_size(*job.source)};
  if (std::int64_t tokens = job.task->tokens_per_example(); tokens > 0) out.example_tokens = tokens;
  return out;
}

// --- mesh -------------------------------------------------------------------------------------

mesh::MeshShape shape_of(const MeshAxes& axes) {
  mesh::MeshShape out;
  for (const auto& [name, size] : axes)
    out.inner.push_back(size);
  return out;
}

// The rule that matches decides; without one the axes do.
std::optional<MeshAxes> chosen_axes(const MeshConfig& config) {
  if (!config.selector) return config.axes;
  for (const MeshRuleConfig& rule : config.rules) {
    if (!Regex(rule.selector).matches(*config.selector)) continue;
    note("mesh selector ", *config.selector, " matches mesh rule ", rule.selector);
    return rule.axes;
  }
  return config.axes;
}

mesh::Mesh make_mesh(const MeshConfig& config, std::int64_t num_devices) {
  std::optional<MeshAxes> axes = chosen_axes(config);
  if (!axes) return {};
  std::vector<std::string> names;
  for (const auto& [name, size] : *axes)
    names.push_back(name);
  return mesh::make_mesh(names, shape_of(*axes), num_devices);
}

mesh::AxisRules make_rules(const std::map<std::string, config::OneOrMore<std::string>>& table) {
  std::vector<mesh::AxisRule> rules;
  for (const auto& [axis, mesh_axes] : table)
    rules.push_back({axis, mesh_axes});
  return mesh::AxisRules(std::move(rules));
}

train::Placement make_placement(const RunConfig& config, std::int64_t num_devices) {
  train::Placement out{.mesh = make_mesh(config.mesh, num_devices),
                       .params = make_rules(config.sharding.params),
                       .activations = make_rules(config.sharding.activations)};
  mesh::check_rules(out.mesh, out.params, "sharding.params");
  mesh::check_rules(out.mesh, out.activations, "sharding.activations");
  return out;
}

// --- the trainer's own settings ---------------------------------------------------------------

train::LoopConfig make_loop(const RunConfig& config) {
  train::LoopConfig out;
  if (config.order.boundary) out.order = *config.order.boundary;
  out.order_at_start = config.order.start;
  out.log = config.log;
  out.save = config.checkpoint.when;
  out.trace = config.trace;
  out.early_stopping = config.early_stopping;
  return out;
}

train::TrainConfig make_train_config(const RunConfig& config) {
  train::TrainConfig out;
  out.dir = config.dir;
  out.seed = config.seed;
  out.max_step = config.max_step;
  out.loop = make_loop(config);
  out.retention = config.checkpoint.retention;
  for (const auto& [name, entry] : config.evaluators)
    out.evaluators[name] = entry.evaluator;
  out.num_microbatches = config.num_microbatches;
  if (config.train_dtype) out.train_dtype = find_dtype(*config.train_dtype);
  out.non_finite = config.non_finite;
  out.prefetch = config.prefetch;
  out.watchdog = config.watchdog;
  return out;
}

}  // namespace

runtime::Client open_client(const MeshConfig& config) {
  return runtime::open(
      {.platform = config.platform, .num_devices = static_cast<int>(config.num_devices)});
}

train::Job make_job(const RunConfig& config, std::int64_t num_devices) {
  train::Job job;
  job.config = make_train_config(config);
  job.source = make_source(config.data, config.seed);
  for (const auto& [name, entry] : config.evaluators)
    job.eval_sources[name] = make_source(entry.data, config.seed);
  job.task = std::visit([&](const auto& task) { return make_task(task, *job.source, config.data); },
                        config.task);
  job.learner = optim::learner_options(config.optimizer, config.learner, run_length(config, job));
  job.placement = make_placement(config, num_devices);
  job.resolved_config = config::to_toml(config);
  return job;
}

}  // namespace meshwright::cli
