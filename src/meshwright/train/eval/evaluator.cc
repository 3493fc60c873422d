// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/eval/evaluator.h"

#include <chrono>
#include <span>
#include <utility>

#include "meshwright/base/nearest.h"
#include "meshwright/base/threefry.h"

namespace meshwright::train {
namespace {

EvalMethod method_of(const Task& task, const std::string& evaluator, const std::string& name) {
  std::map<std::string, EvalMethod> methods = task.eval_methods();
  auto found = methods.find(name);
  if (found != methods.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, method] : methods)
    names.push_back(known);
  fail(ErrorCode::invalid_argument, "evaluator '", evaluator, "': task '", task.name(),
       "' has no method '", name, "'", did_you_mean(name, names));
}

// The metrics vector alternates means and weights.
void add_means(const HostTensor& vector,
               const std::vector<std::string>& names,
               metrics::Averages& averages) {
  std::span<const float> values = vector.values<float>();
  for (std::size_t i = 0; i < names.size(); ++i)
    averages.add(names[i], values[2 * i], values[2 * i + 1]);
}

// The key of a batch depends only on its number, not on earlier batches.
HostTensor key_of_batch(const HostTensor& key_data, std::int64_t number) {
  const std::span<const std::uint32_t> words = key_data.values<std::uint32_t>();
  const threefry::KeyWords key =
      threefry::fold_in({words[0], words[1]}, static_cast<std::uint32_t>(number));
  return HostTensor::from(std::vector<std::uint32_t>(key.begin(), key.end()), {2});
}

void enter(const EvalHooks& hooks, std::int64_t batch, std::string_view phase) {
  if (hooks.enter) hooks.enter(batch, phase);
}

}  // namespace

HostTensor eval_key(std::int64_t seed) {
  threefry::KeyWords key = threefry::fold_in(threefry::key(seed), 1);
  return HostTensor::from(std::vector<std::uint32_t>(key.begin(), key.end()), {2});
}

void check_evaluator(const std::string& name, const EvaluatorConfig& config, const Task& task) {
  (void)method_of(task, name, config.method);
  // The name is used in folder names and as the prefix of metric names.
  MW_CHECK(Regex("[a-z][a-z0-9_]*").matches(name), "evaluator '", name,
           "': the name must be lower-case letters, digits and '_', starting with a letter");
  if (config.outputs) (void)Regex(config.outputs->arrays);  // fail now, not in run()
}

Evaluator::Evaluator(std::string name,
                     EvaluatorConfig config,
                     const TrainingSetup& setup,
                     data::SourcePtr source,
                     const data::PrefetchOptions& prefetch)
    : name_(std::move(name)),
      config_(std::move(config)),
      setup_(setup),
      source_(std::move(source)),
      prefetch_(prefetch),
      method_(method_of(setup.task, name_, config_.method)) {
  check_evaluator(name_, config_, setup.task);
  MW_CHECK(source_ != nullptr, "evaluator '", name_, "': no data source");
  MW_CHECK(num_batches() > 0, "evaluator '", name_, "': ", num_batches(), " batches");
  prefetch_.first_step = 0;
  prefetch_.end_step = num_batches();
  prefetch_.ranges = setup.task.integer_ranges();
}

std::int64_t Evaluator::num_batches() const {
  std::optional<std::int64_t> there_are = source_->num_batches();
  MW_CHECK(there_are || config_.num_batches, "evaluator '", name_, "': its data '", source_->name(),
           "' is endless, so num_batches is required");
  if (!there_are) return *config_.num_batches;
  return std::min(*there_are, config_.num_batches.value_or(*there_are));
}

EvalProgram trace_evaluator(const std::string& name,
                            const EvaluatorConfig& config,
                            const TrainingSetup& setup,
                            const data::Source& source) {
  std::optional<DType> dtype;
  if (config.dtype) dtype = find_dtype(*config.dtype);
  return trace_eval(setup, source.spec(), method_of(setup.task, name, config.method), dtype);
}

const Evaluator::Compiled& Evaluator::compiled(const runtime::Client& client) {
  if (!compiled_) {
    EvalProgram program = trace();
    runtime::Executable executable =
        client.compile(program.program, compile_options(setup_.placement));
    compiled_.emplace(Compiled{std::move(program), std::move(executable)});
  }
  return *compiled_;
}

std::optional<Evaluation> Evaluator::run(const runtime::Client& client,
                                         const std::vector<runtime::DeviceArray>& params,
                                         const HostTensor& key_data,
                                         const EvalHooks& hooks) {
  const auto begin = std::chrono::steady_clock::now();
  data::Prefetcher batches(source_, prefetch_);
  compiled(client);
  metrics::Averages averages;
  Evaluation out;
  // The results of a batch are read while the devices compute the next one.
  std::optional<Running> running;
  for (std::int64_t number = 0;; ++number) {
    enter(hooks, number, "waiting for data");
    if (hooks.should_stop && hooks.should_stop()) return std::nullopt;
    if (!batches.wait_unless(hooks.should_stop)) return std::nullopt;
    std::optional<data::Batch> batch = batches.next();
    if (!batch) break;
    enter(hooks, number, "starting a batch");
    Running next = start(number, std::move(*batch), params, key_data);
    if (running) finish(*std::move(running), hooks, averages, out);
    running = std::move(next);
  }
  if (running) finish(*std::move(running), hooks, averages, out);
  out.entries = averages.entries();
  out.wait_seconds = batches.wait_seconds();
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

Evaluator::Running Evaluator::start(std::int64_t number,
                                    data::Batch batch,
                                    const std::vector<runtime::DeviceArray>& params,
                                    const HostTensor& key_data) const {
  const runtime::Executable& executable = compiled_->executable;
  std::vector<runtime::DeviceArray> args = params;
  for (const HostTensor& array : leaves(batch))
    args.push_back(executable.put_argument(args.size(), array));
  args.push_back(executable.put_argument(args.size(), key_of_batch(key_data, number)));
  return {number, std::move(batch), executable(std::move(args))};
}

void Evaluator::finish(Running running,
                       const EvalHooks& hooks,
                       metrics::Averages& averages,
                       Evaluation& out) const {
  enter(hooks, running.number, "reading results");
  add_means(running.results[0].to_host(), compiled_->program.metric_names, averages);
  const auto num_shown = static_cast<std::size_t>(config_.num_shown);
  const bool shows = method_.describe && out.shown.size() < num_shown;
  if (!shows && !hooks.keep_outputs) return;
  const JudgedBatch made = judged(std::move(running));
  if (hooks.keep_outputs) hooks.keep_outputs(made);
  for (const std::int64_t row : examples_of(made.batch)) {
    if (made.lines.empty() || out.shown.size() >= num_shown) return;
    out.shown.push_back(made.lines[static_cast<std::size_t>(row)]);
  }
}

JudgedBatch Evaluator::judged(Running running) const {
  std::vector<HostTensor> arrays;
  for (std::size_t i = 1; i < running.results.size(); ++i)
    arrays.push_back(running.results[i].to_host());
  JudgedBatch out{.batch = std::move(running.batch),
                  .outputs = with_leaves(compiled_->program.outputs, arrays)};
  if (method_.describe) out.lines = method_.describe(out.batch, out.outputs);
  return out;
}

}  // namespace meshwright::train
