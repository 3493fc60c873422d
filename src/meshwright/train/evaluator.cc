// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/evaluator.h"

#include <chrono>
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

// The metrics vector has means and weights in turn.
void add_means(const HostTensor& vector,
               const std::vector<std::string>& names,
               metrics::Averages& averages) {
  std::span<const float> values = vector.values<float>();
  for (std::size_t i = 0; i < names.size(); ++i)
    averages.add(names[i], values[2 * i], values[2 * i + 1]);
}

}  // namespace

HostTensor eval_key(std::int64_t seed) {
  threefry::Words key = threefry::fold_in(threefry::key(seed), 1);
  return HostTensor::from(std::vector<std::uint32_t>(key.begin(), key.end()), {2});
}

Evaluator::Evaluator(std::string name,
                     EvaluatorConfig config,
                     const Setting& setting,
                     data::SourcePtr source,
                     const data::PrefetchOptions& prefetch)
    : name_(std::move(name)),
      config_(std::move(config)),
      setting_(setting),
      source_(std::move(source)),
      prefetch_(prefetch),
      method_(method_of(setting.task, name_, config_.method)) {
  MW_CHECK(source_ != nullptr, "evaluator '", name_, "': it has no data");
  MW_CHECK(num_batches() > 0, "evaluator '", name_, "': ", num_batches(), " batches");
  prefetch_.first_step = 0;
  prefetch_.end_step = num_batches();
}

std::int64_t Evaluator::num_batches() const {
  std::optional<std::int64_t> there_are = source_->num_batches();
  MW_CHECK(there_are || config_.num_batches, "evaluator '", name_, "': its data '", source_->name(),
           "' has no end, so num_batches must be given");
  if (!there_are) return *config_.num_batches;
  return std::min(*there_are, config_.num_batches.value_or(*there_are));
}

const Evaluator::Compiled& Evaluator::compiled(const runtime::Client& client) {
  if (!compiled_) {
    std::optional<DType> dtype;
    if (config_.dtype) dtype = find_dtype(*config_.dtype);
    EvalProgram program = trace_eval(setting_, source_->spec(), method_, dtype);
    runtime::Executable executable =
        client.compile(program.program, compile_options(setting_.placement));
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
  // The results of a batch are read while the devices are busy with the next one.
  std::optional<Running> running;
  for (;;) {
    if (hooks.before_batch) hooks.before_batch();
    if (hooks.should_stop && hooks.should_stop()) return std::nullopt;
    if (!batches.wait_unless(hooks.should_stop)) return std::nullopt;
    std::optional<data::Batch> batch = batches.next();
    if (!batch) break;
    Running next = start(std::move(*batch), params, key_data);
    if (running) finish(*running, averages, out);
    running = std::move(next);
  }
  if (running) finish(*running, averages, out);
  out.entries = averages.entries();
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

Evaluator::Running Evaluator::start(data::Batch batch,
                                    const std::vector<runtime::DeviceArray>& params,
                                    const HostTensor& key_data) const {
  const runtime::Executable& executable = compiled_->executable;
  std::vector<runtime::DeviceArray> args = params;
  for (const HostTensor& array : leaves(batch))
    args.push_back(executable.put_argument(args.size(), array));
  args.push_back(executable.put_argument(args.size(), key_data));
  return {std::move(batch), executable(std::move(args))};
}

void Evaluator::finish(const Running& running, metrics::Averages& averages, Evaluation& out) const {
  add_means(running.results[0].to_host(), compiled_->program.metric_names, averages);
  show(running.batch, running.results, out.shown);
}

void Evaluator::show(const data::Batch& batch,
                     const std::vector<runtime::DeviceArray>& results,
                     std::vector<std::string>& shown) const {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(config_.num_shown, 0));
  if (!method_.describe || shown.size() >= wanted) return;
  std::vector<HostTensor> arrays;
  for (std::size_t i = 1; i < results.size(); ++i)
    arrays.push_back(results[i].to_host());
  Tree<HostTensor> outputs = with_leaves(compiled_->program.outputs, arrays);
  for (std::string& line : method_.describe(batch, outputs)) {
    if (shown.size() < wanted) shown.push_back(std::move(line));
  }
}

}  // namespace meshwright::train
