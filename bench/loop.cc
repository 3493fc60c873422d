// SPDX-License-Identifier: Apache-2.0
// usage: bench_loop
// Reads lines `CASE STEPS` and makes that many updates of a model with almost no computation;
// answers each with `MICROSECONDS` per step. Cases, with N parameter arrays: bare-N executes the
// step alone; trainer-N trains with prefetching, metrics, watchdog and a report every 100 steps.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "meshwright/base/log.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWarmUpSteps = 200;

/// The loss sums the mean squared distances of the scalar parameters from the batch.
class Distance : public train::Task {
 public:
  explicit Distance(int num_params) : num_params_(num_params) {}
  std::string name() const override { return "distance"; }
  ParamSpecs param_specs() const override {
    ParamSpecs out;
    for (int i = 0; i < num_params_; ++i)
      out[str("p", i)] = ParamSpec{.type = {f32, {}}};
    return out;
  }
  train::ValueTree init(const graph::random::Key&, const nn::InitRules&) const override {
    train::ValueTree out;
    for (int i = 0; i < num_params_; ++i)
      out[str("p", i)] = graph::constant(0.0, f32);
    return out;
  }
  train::TaskLoss loss(const train::TaskInput& input) const override {
    const graph::Value x = input.batch.at("x").value();
    graph::Value sum = graph::constant(0.0, f32);
    for_each(input.params, [&](const graph::Value& p) {
      sum = sum + graph::global_mean(graph::square(x - p), graph::constant(1.0, f32, x.dims()));
    });
    return {.loss = {sum, graph::constant(1.0, f32)}};
  }

 private:
  int num_params_;
};

/// Returns constant batches and records when the first measured and the last one are requested.
class Ones : public data::Source {
 public:
  explicit Ones(std::int64_t num_batches) : num_batches_(num_batches) {
    spec_["x"] = data::array_spec(f32, {8}, "batch");
    batch_["x"] = HostTensor(ArrayType{f32, {8}});
  }
  std::string name() const override { return "ones"; }
  const data::BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return num_batches_; }
  Tree<Scalar> identity() const override { return {}; }
  data::Batch batch(std::int64_t step, data::Rows) const override {
    if (step == kWarmUpSteps) begin_ = Clock::now();
    if (step == num_batches_ - 1) end_ = Clock::now();
    return batch_;
  }
  /// Microseconds per step. Both batches are requested equally far ahead of their step.
  double pace() const {
    return std::chrono::duration<double, std::micro>(end_ - begin_).count() /
           static_cast<double>(num_batches_ - 1 - kWarmUpSteps);
  }

 private:
  std::int64_t num_batches_;
  data::BatchSpec spec_;
  data::Batch batch_;
  mutable Clock::time_point begin_, end_;
};

struct TemporaryFolder {
  std::filesystem::path path;
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_loop_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

train::Job make_job(int num_params, std::shared_ptr<const Ones> source) {
  train::Job job;
  job.task = std::make_shared<Distance>(num_params);
  job.learner = optim::learn_by(optim::sgd({.learning_rate = optim::constant(0.1)}));
  job.source = std::move(source);
  job.config.checkpoint.when = train::When();
  return job;
}

double run_trainer(const runtime::Client& client, int num_params, std::int64_t num_steps) {
  const TemporaryFolder folder;
  auto source = std::make_shared<Ones>(kWarmUpSteps + num_steps);
  train::Job job = make_job(num_params, source);
  job.config.dir = folder.path.string();
  train::run(job, client);
  return source->pace();
}

double run_bare(const runtime::Client& client, int num_params, std::int64_t num_steps) {
  Ones source(kWarmUpSteps + num_steps);
  const train::Job job = make_job(num_params, nullptr);
  const train::TrainingSetup setup = train::setup_of(job);
  train::StepRunner runner(client, setup, source.spec(), {});
  runner.init(0);
  for (std::int64_t step = 0; step < *source.num_batches(); ++step)
    runner.update(source.batch(step, {}));
  return source.pace();
}

double measure(const runtime::Client& client, const std::string& name, std::int64_t num_steps) {
  const std::size_t dash = name.find('-');
  MW_CHECK(dash != std::string::npos && num_steps > 1, "bench_loop: unknown case '", name, "'");
  const int num_params = std::stoi(name.substr(dash + 1));
  const std::string what = name.substr(0, dash);
  MW_CHECK(what == "bare" || what == "trainer", "bench_loop: unknown case '", name, "'");
  return what == "bare" ? run_bare(client, num_params, num_steps)
                        : run_trainer(client, num_params, num_steps);
}

void serve() {
  const ScopedLogHandler silent([](Severity, std::string_view) {});
  const runtime::Client client = runtime::open();
  std::string name;
  for (std::int64_t num_steps = 0; std::cin >> name >> num_steps;) {
    std::printf("%.6f\n", measure(client, name, num_steps));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace meshwright

int main() {
  try {
    meshwright::serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
