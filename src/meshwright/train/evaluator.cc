// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/evaluator.h"

#include <chrono>
#include <utility>

#include "meshwright/base/nearest.h"
#include "meshwright/base/threefry.h"
#include "meshwright/metrics/average.h"

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
                     data::SourcePtr source)
    : name_(std::move(name)),
      config_(std::move(config)),
      setting_(setting),
      source_(std::move(source)),
      method_(method_of(setting.task, name_, config_.method)) {
  MW_CHECK(source_ != nullptr, "evaluator '", name_, "': it has no data");
  MW_CHECK(num_batches() > 0, "evaluator '", name_, "': ", num_batches(), " batches");
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
    EvalProgram program = trace_eval(setting_, source_->spec(), method_);
    runtime::Executable executable = client.compile(program.program);
    compiled_.emplace(Compiled{std::move(program), std::move(executable)});
  }
  return *compiled_;
}

std::optional<Evaluation> Evaluator::run(const runtime::Client& client,
                                         const std::vector<runtime::DeviceArray>& params,
                                         const HostTensor& key_data,
                                         const std::function<bool()>& should_stop) {
  const auto start = std::chrono::steady_clock::now();
  const Compiled& program = compiled(client);
  metrics::Averages averages;
  Evaluation out;
  for (std::int64_t i = 0; i < num_batches(); ++i) {
    if (should_stop && should_stop()) return std::nullopt;
    data::Batch batch = data::whole_batch(*source_, i);
    std::vector<runtime::DeviceArray> args = params;
    for (const HostTensor& array : leaves(batch))
      args.push_back(program.executable.put_argument(args.size(), array));
    args.push_back(program.executable.put_argument(args.size(), key_data));
    std::vector<runtime::DeviceArray> results = program.executable(std::move(args));
    add_means(results[0].to_host(), program.program.metric_names, averages);
    show(batch, results, out.shown);
  }
  out.entries = averages.entries();
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
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
