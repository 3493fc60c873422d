// SPDX-License-Identifier: Apache-2.0
// Runs the C++ blocks of docs/*.md, copied verbatim (quoted_test.py compares).
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/nn/linear.h"
#include "meshwright/nn/losses.h"
#include "meshwright/nn/mlp.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/train/offline/generator.h"
#include "meshwright/train/offline/trained_model.h"
#include "meshwright/train/restore/restore_builder.h"
#include "meshwright/train/restore/state_converters.h"
#include "meshwright/train/task/model_task.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright {
namespace {

using graph::Value;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;

// --- docs/library.md --------------------------------------------------------------------------

struct Classifier : nn::Module {
  Classifier() : Module({{"xy", 2}, {"embed", 32}, {"mlp", 128}, {"arm", 3}}) {}
  nn::Linear in{this, "in", "xy", "embed"};
  nn::Mlp block{this, "block"};
  nn::Linear out{this, "out", "embed", "arm"};

  Value operator()(nn::Ctx& p, Value points) const {
    Value x = in(p, points);
    return out(p, x + block(p, x));
  }
};

struct ClassifierTask : train::ModelTask<Classifier> {
  std::string name() const override { return "classifier"; }
  train::TaskLoss loss(const train::TaskInput& input) const override {
    nn::Ctx p = context(input);
    Value logits = model()(p, input.array("points"));
    return {.loss = train::mean(nn::cross_entropy(logits, input.array("arms")))};
  }

  std::map<std::string, train::EvalMethod> eval_methods() const override {
    auto out = ModelTask::eval_methods();
    out["top2"] = {.run = [this](const train::TaskInput& input) { return top2(input); }};
    return out;
  }

 private:
  train::EvalOutput top2(const train::TaskInput& input) const {
    return {.metrics = {{"loss", loss(input).loss}}};
  }
};

struct Gate : nn::Module {
  Gate(nn::Module* parent, std::string name) : Module(parent, std::move(name)) {}
  nn::Param scale = param("scale", "embed", nn::ones());

  Value operator()(nn::Ctx& p, Value x) const {
    nn::Scope scope(*this);
    return graph::module_output(x * graph::logistic(x * p[scale]));
  }
};

struct Gated : nn::Module {
  Gated() : Module({{"embed", 3}}) {}
  Gate gate{this, "gate"};
};

TEST(LibraryPage, AModuleNamesItselfInErrors) {
  Gated model;
  graph::Tracer tracer;
  nn::Ctx p(model, nn::initial_values(model, graph::random::key(0)));
  EXPECT_EQ(model.gate(p, tracer.argument({f32, {5, 3}})).dims(), (Dims{5, 3}));
  const Value wrong = tracer.argument({f32, {5, 4}});
  EXPECT_THAT(message_of([&] { model.gate(p, wrong); }), testing::HasSubstr("gate"));
}

train::Results held_out_results(const train::Job& job, const runtime::Client& client) {
  const train::TrainedModel model(job, client);
  return train::evaluate(job, model, {"held_out"});  // "held_out/loss" and the other metrics
}

std::vector<std::int32_t> continuation(const train::TrainedModel& model,
                                       const std::vector<std::int32_t>& prompt) {
  train::Generator generate(model, {.max_tokens = 32, .temperature = 0.8}, /*seed=*/1);
  return generate({prompt})[0][0].tokens;  // best alternative for the first prompt
}

TEST(LibraryPage, ATrainedModelIsEvaluated) {
  const io::TemporaryFolder folder;
  const train::Job job = train::line_job(folder.path());
  const train::Outcome trained = train::run(job, train::caching_client());
  EXPECT_EQ(held_out_results(job, train::caching_client()).at("held_out/loss"),
            trained.results.at("held_out/loss"));
  const train::TrainedModel model(job, train::caching_client());
  EXPECT_THAT(message_of([&] { continuation(model, {1, 2}); }), testing::HasSubstr("generate"));
}

TEST(LibraryPage, AModelHasTheParametersOfItsMembers) {
  Classifier model;
  EXPECT_EQ(nn::param_specs(model).at("in/weight").value().type, (ArrayType{f32, {2, 32}}));
  graph::Tracer tracer;
  nn::Ctx p(model, nn::initial_values(model, graph::random::key(0)));
  EXPECT_EQ(model(p, tracer.argument({f32, {5, 2}})).dims(), (Dims{5, 3}));
}

TEST(LibraryPage, ATaskHasItsOwnEvalMethodsBesideTheLoss) {
  EXPECT_THAT(ClassifierTask().eval_methods(), ElementsAre(Key("loss"), Key("top2")));
}

TEST(LibraryPage, AnEvaluatorNamesAMethod) {
  train::Job job;
  job.config.evaluators["held_out"] = {.method = "top2", .when = train::every(100)};
  EXPECT_TRUE(ClassifierTask().eval_methods().contains(job.config.evaluators["held_out"].method));
}

TEST(LibraryPage, ALearnerHasGroupsAndAverages) {
  optim::LearnerOptions learner;
  learner.groups = {
      {.name = "body",
       .optimizer = optim::adamw({.learning_rate = optim::constant(1e-4)}),
       .update_rules = {{"in/.*", optim::UpdateType::no_update}}},  // frozen
      {.name = "head", .optimizer = optim::sgd({.learning_rate = optim::constant(0.1)})}};
  learner.group_rules = {{"out/.*", "head"}, {".*", "body"}};
  learner.ema = {.decay = optim::ema_schedule(0.999)};

  const optim::Learner made(learner, nn::param_specs(Classifier()));
  EXPECT_THAT(made.warnings(), IsEmpty());
}

class LossSink : public metrics::Sink {
 public:
  explicit LossSink(std::map<std::int64_t, double>& losses) : losses_(losses) {}
  std::string name() const override { return "losses"; }
  void write(const metrics::Record& record) override {
    for (const metrics::Entry& entry : record.entries)
      if (entry.name == "loss") losses_[record.step] = std::get<double>(entry.value);
  }

 private:
  std::map<std::int64_t, double>& losses_;
};

TEST(LibraryPage, HooksAndSinksAreAddedByName) {
  const io::TemporaryFolder folder;
  std::map<std::int64_t, double> losses;
  train::Job job = train::line_job(folder.path());
  job.hooks.push_back({"stop_at_half", [](const train::HookInput& input) {
                         const double bias =
                             input.params.at("line/b").value().to_host().to_doubles()[0];
                         return train::Request{.stop = bias > 0.5};
                       }});
  job.sinks.push_back({"losses", [&](const train::Files&, std::int64_t) {
                         return std::make_unique<LossSink>(losses);
                       }});
  const train::Outcome outcome = train::run(job, train::caching_client());
  EXPECT_EQ(outcome.reason, train::StopReason::requested);
  EXPECT_EQ(std::ssize(losses), outcome.step);
}

TEST(LibraryPage, AHookAfterEvaluationsRequestsACheckpoint) {
  const io::TemporaryFolder folder;
  train::Job job = train::line_job(folder.path());
  job.config.max_step = 400;
  job.config.checkpoint.when = train::When();
  job.hooks.push_back({.name = "keep_good",
                       .at_boundary =
                           [](const train::HookInput& input) {
                             const train::Results& results = input.boundary.results;
                             const auto loss = results.find("held_out/loss");
                             const bool is_good = loss != results.end() && loss->second < 0.5;
                             return train::Request{.save = is_good};
                           },
                       .when = train::HookTime::after_evaluations});
  train::run(job, train::caching_client());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "checkpoints/step_00000004"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "checkpoints/step_00000400"));
}

// --- docs/initial_state.md --------------------------------------------------------------------

TEST(InitialStatePage, ARunBeginsWithPartsOfAnother) {
  train::Job job;
  job.init_state = train::restore_and_convert(
      train::from_checkpoint({.folder = "runs/a"}),
      train::chain({train::ema_params(), train::scopes({{"encoder", "vit"}})}));
  EXPECT_TRUE(job.init_state.has_value());
}

// --- docs/configuration.md --------------------------------------------------------------------

struct AdamWConfig {
  static constexpr char kType[] =
      "adamw";  // if it is one of several: std::variant<AdamWConfig, ...>
  double learning_rate;
  double b1 = 0.9;
  std::optional<double> clip_norm;

  void fields(auto& f) {
    f.required("learning_rate", learning_rate, config::kPositive, "peak learning rate");
    f.optional("b1", b1, config::kFraction, "decay of the first moment");
    f.optional("clip_norm", clip_norm, config::kPositive, "global gradient norm");
  }
};

TEST(ConfigurationPage, AStructIsReadFromAFileAndWordsOverIt) {
  const io::TemporaryFolder folder;
  std::ofstream(folder.path() / "adamw.toml") << "learning_rate = 3e-4\n";
  const std::vector<std::string> overrides = {"b1=0.95"};
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  auto adamw = config::load<AdamWConfig>("adamw.toml", overrides);
  std::filesystem::current_path(before);
  EXPECT_EQ(adamw.learning_rate, 3e-4);
  EXPECT_EQ(adamw.b1, 0.95);
  EXPECT_EQ(adamw.clip_norm, std::nullopt);
  EXPECT_STREQ(AdamWConfig::kType, "adamw");
}

}  // namespace
}  // namespace meshwright
