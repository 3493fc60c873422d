// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Has a second method that reports y, with its own weights.
class JudgedLine : public LineTask {
 public:
  std::map<std::string, EvalMethod> eval_methods() const override {
    std::map<std::string, EvalMethod> out = LineTask::eval_methods();
    out["look"] = {.run = look, .describe = describe};
    out["draw"] = {.run = draw};
    return out;
  }

 private:
  static EvalOutput draw(const TaskInput& input) {
    EvalOutput out;
    out.metrics["drawn"] = {graph::random::uniform(input.key, {}), graph::constant(1.0, f32)};
    return out;
  }
  static EvalOutput look(const TaskInput& input) {
    Value y = input.batch.at("y").value();
    Value weights = input.batch.at("weights").value();
    EvalOutput out;
    // Means over the weights that are 3 and over the smaller ones.
    for (bool large : {true, false}) {
      Value counted = graph::cast(large ? weights > 2.5 : graph::logical_not(weights > 2.5), f32);
      out.metrics[large ? "large" : "small"] = {graph::global_mean(y, counted),
                                                graph::global_sum(counted)};
    }
    // A mean with weight 0, like that of a batch of padding.
    Value none = graph::constant(0.0, f32);
    out.metrics["none"] = {none / none, none};
    out.outputs["y"] = y;
    return out;
  }
  static std::vector<std::string> describe(const Tree<HostTensor>& batch,
                                           const Tree<HostTensor>& outputs) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < 8; ++i) {
      out.push_back(str(batch.at("y").value().values<float>()[i] ==
                        outputs.at("y").value().values<float>()[i]));
    }
    return out;
  }
};

class EvaluatorTest : public testing::Test {
 protected:
  Evaluator evaluator(EvaluatorConfig config, data::SourcePtr source) {
    return Evaluator("held_out", std::move(config), setup_, std::move(source));
  }

  Evaluation run(EvaluatorConfig config, data::SourcePtr source = points(3)) {
    return *judged(evaluator(std::move(config), std::move(source)), {});
  }

  static std::optional<Evaluation> judged(Evaluator judge, const std::function<bool()>& stop) {
    std::vector<runtime::DeviceArray> params;
    for (const Dims& dims : {Dims{}, Dims{4}})
      params.push_back(runtime::test_client().put(HostTensor(ArrayType{f32, dims})));
    const HostTensor key = HostTensor::from(std::vector<std::uint32_t>{0, 1}, {2});
    return judge.run(runtime::test_client(), params, key, {.should_stop = stop});
  }

  static data::SourcePtr points(std::optional<std::int64_t> num_batches) {
    return std::make_shared<Points>(std::set<std::int64_t>{}, num_batches);
  }

  static metrics::WeightedScalar entry(const Evaluation& evaluation, const std::string& name) {
    for (const metrics::Entry& entry : evaluation.entries) {
      if (entry.name == name) return std::get<metrics::WeightedScalar>(entry.value);
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }

  // With all parameters 0, the error is y itself.
  static double mean_of_squares(std::int64_t num_batches) {
    double sum = 0, weight = 0;
    for (std::int64_t step = 0; step < num_batches; ++step) {
      data::Batch batch = data::whole_batch(*points({}), step);
      for (std::size_t i = 0; i < 8; ++i) {
        const double y = batch.at("y").value().values<float>()[i];
        const double w = batch.at("weights").value().values<float>()[i];
        sum += w * y * y;
        weight += w;
      }
    }
    return sum / weight;
  }

  JudgedLine task_;
  Placement placement_;
  TrainingSetup setup_{task_, optim::learn_by(optim::identity()), placement_};
};

TEST_F(EvaluatorTest, GivesTheMeanOfAllExamplesByTheirWeights) {
  Evaluation found = run({.method = "loss"});
  EXPECT_NEAR(entry(found, "loss").mean, mean_of_squares(3), 1e-4);
  EXPECT_EQ(entry(found, "loss").weight, 3 * (1 + 2 + 3 + 1 + 2 + 3 + 1 + 2));
  EXPECT_GT(found.seconds, 0);
}

TEST_F(EvaluatorTest, EveryMetricHasWeightsOfItsOwnAndNothingCountsNothing) {
  Evaluation found = run({.method = "look"});
  EXPECT_EQ(entry(found, "large").weight, 3 * 2);
  EXPECT_EQ(entry(found, "small").weight, 3 * 6);
  EXPECT_EQ(entry(found, "none").weight, 0);
  EXPECT_EQ(entry(found, "none").mean, 0);
}

TEST_F(EvaluatorTest, TakesAsManyBatchesAsAskedButNoMoreThanThereAre) {
  auto loss = [&](std::optional<std::int64_t> wanted, std::optional<std::int64_t> there_are) {
    return entry(run({.method = "loss", .num_batches = wanted}, points(there_are)), "loss").mean;
  };
  EXPECT_NEAR(loss(2, 3), mean_of_squares(2), 1e-4);
  EXPECT_NEAR(loss(9, 3), mean_of_squares(3), 1e-4);
  EXPECT_NEAR(loss(2, {}), mean_of_squares(2), 1e-4);
}

TEST_F(EvaluatorTest, DrawsAnewForEachBatchAndTheSameAgain) {
  auto drawn = [&](std::int64_t num_batches) {
    return entry(run({.method = "draw", .num_batches = num_batches}), "drawn").mean;
  };
  EXPECT_NE(drawn(1), drawn(2));
  EXPECT_EQ(drawn(2), drawn(2));
}

TEST_F(EvaluatorTest, ShowsTheFirstExamples) {
  EXPECT_THAT(run({.method = "look", .num_shown = 3}).shown, ElementsAre("true", "true", "true"));
  EXPECT_THAT(run({.method = "look", .num_shown = 11}).shown, SizeIs(11));
  EXPECT_THAT(run({.method = "look"}).shown, SizeIs(0));
}

TEST_F(EvaluatorTest, RefusesWhatItCannotDo) {
  EXPECT_THAT(message_of([&] { evaluator({.method = "los"}, points(3)); }),
              HasSubstr("evaluator 'held_out': task 'line' has no method 'los'; did you mean "
                        "'loss'?"));
  EXPECT_THAT(message_of([&] { evaluator({.method = "loss"}, points({})); }),
              HasSubstr("its data 'points' is endless, so num_batches is required"));
  EXPECT_THAT(message_of([&] { evaluator({.method = "loss"}, nullptr); }),
              HasSubstr("evaluator 'held_out': no data source"));
  EXPECT_THAT(message_of([&] { evaluator({.method = "loss"}, points(0)); }),
              HasSubstr("0 batches"));
  for (const char* name : {"", "Held_out", "../elsewhere", "2nd"}) {
    EXPECT_THAT(message_of([&] { Evaluator(name, {.method = "loss"}, setup_, points(3)); }),
                HasSubstr("lower-case letters"));
  }
  EXPECT_THAT(message_of([&] {
                evaluator({.method = "loss", .outputs = OutputsConfig{.arrays = "("}}, points(3));
              }),
              HasSubstr("'('"));
}

TEST_F(EvaluatorTest, StopsBetweenBatchesWhenToldTo) {
  int num_asked = 0;
  auto found = judged(evaluator({.method = "loss"}, points(5)), [&] { return ++num_asked == 3; });
  EXPECT_FALSE(found.has_value());
  EXPECT_EQ(num_asked, 3);
}

}  // namespace
}  // namespace meshwright::train
