// SPDX-License-Identifier: Apache-2.0
// The report on a step that is not finite.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/step/step_statistics.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kLayers = 3;
constexpr std::int64_t kFeatures = 4;  // as in Points

// The gradient of the square root is infinite at 0, where its value is finite.
class RootTask : public Task {
 public:
  std::string name() const override { return "root"; }
  ParamSpecs param_specs() const override {
    ParamSpecs out;
    out["layers/w"] = ParamSpec{
        .type = {f32, {kLayers, kFeatures}}, .axes = {"layers", "feature"}, .num_stacked_dims = 1};
    out["scale"] = ParamSpec{.type = {f32, {}}};
    return out;
  }
  ValueTree init(const graph::random::Key& /*key*/, const nn::InitRules& /*rules*/) const override {
    ValueTree out;
    Value w = graph::iota(f32, {kLayers, kFeatures}, 1);
    Value layer = graph::iota(f32, {kLayers, kFeatures}, 0);
    out["layers/w"] = graph::where(graph::equal(layer, 1.0), w, w + 1.0);  // 0 only in layer 1
    out["scale"] = graph::constant(2.0, f32);
    return out;
  }
  TaskLoss loss(const TaskInput& input) const override {
    Value roots = sqrt(input.params.at("layers/w").value());
    Value sum = graph::reduce_sum(roots, {0, 1}) * input.params.at("scale").value();
    Value y = graph::global_mean(input.array("y")) + sum;
    return {.loss = {y, graph::constant(8.0, f32)}};
  }
};

Job root_job(const std::filesystem::path& folder) {
  Job job = line_job(folder);
  job.task = std::make_shared<RootTask>();
  job.config.evaluators.clear();
  job.eval_sources.clear();
  return job;
}

class StepStatisticsTest : public testing::Test {
 protected:
  std::filesystem::path folder() const { return folder_.path() / "run"; }
  void expect_numerics_error(const Job& job) const {
    const Error error = thrown_by([&] { run(job, caching_client()); });
    EXPECT_EQ(error.code(), ErrorCode::numerics) << error.what();
  }

  io::TemporaryFolder folder_;
  CapturedLog log_;
};

TEST_F(StepStatisticsTest, NamesArraysAndLayers) {
  const Job job = root_job(folder());
  TrainingSetup setup(*job.task, job.learner, job.placement);
  StepRunner runner(caching_client(), setup, job.source->spec(), {});
  runner.init(0);
  const StepInputs step{.params = runner.part("model"),
                        .key = runner.state().at("prng_key").value(),
                        .source = *job.source};
  const StepStatistics found = step_statistics(caching_client(), setup, step, {});
  EXPECT_TRUE(std::isfinite(found.loss));
  ASSERT_EQ(found.params.size(), 4U);
  EXPECT_EQ(found.params[2].path, "layers/w");
  EXPECT_EQ(found.params[2].layer, 2);
  EXPECT_EQ(found.params[2].num_elements, 4);
  EXPECT_FLOAT_EQ(static_cast<float>(found.params[2].rms), std::sqrt(30.0F / 4));  // 1 2 3 4
  EXPECT_FLOAT_EQ(static_cast<float>(found.params[2].largest), 4);
  EXPECT_FALSE(found.params[3].layer);
  EXPECT_EQ(found.gradients[1].num_not_finite, 1);
  // 2 / (2 sqrt(w)) for w = 1, 2 and 3.
  EXPECT_FLOAT_EQ(static_cast<float>(found.gradients[1].rms),
                  std::sqrt((1.0F + 1.0F / 2 + 1.0F / 3) / 3));
  EXPECT_EQ(found.gradients[0].num_not_finite + found.gradients[2].num_not_finite, 0);
  EXPECT_EQ(not_finite_text(found).substr(not_finite_text(found).find("\n  parameters")),
            "\n  parameters: none of 4, the largest element 4 in layers/w\n"
            "  gradients: 1 of 4: layers/w (layer 1: 1 of 4 elements)");
}

TEST_F(StepStatisticsTest, ARunTellsThemBeforeItEnds) {
  expect_numerics_error(root_job(folder()));
  EXPECT_THAT(log_.text(), HasSubstr("layers/w (layer 1: 1 of 4 elements)"));
  EXPECT_THAT(file_text(folder() / "non_finite" / "step_1.txt"),
              AllOf(HasSubstr("step 1, batch 0"), HasSubstr("layers/w"), HasSubstr("scale")));
}

TEST_F(StepStatisticsTest, ABadBatchIsMadeAgain) {
  Job job = line_job(folder(), {5});
  job.config.step.num_microbatches = 2;
  expect_numerics_error(job);
  EXPECT_THAT(log_.text(),
              AllOf(HasSubstr("step 6 computed again: the loss is nan; not finite:\n"),
                    HasSubstr("parameters: none of 2"),
                    HasSubstr("gradients: 2 of 2: line/b (1 of 1 elements), line/w (4 of 4")));
  job.config.dir += "_silent";
  job.config.step.non_finite.explain = false;
  log_.clear();
  expect_numerics_error(job);
  EXPECT_THAT(log_.text(), Not(HasSubstr("again")));
}

// Dropout draws the same numbers when the step is computed again.
TEST_F(StepStatisticsTest, AStateThatHaltsKeepsItsKey) {
  const Job job = line_job(folder(), {0});
  TrainingSetup setup(*job.task, job.learner, job.placement);
  StepRunner runner(caching_client(), setup, job.source->spec(), {});
  runner.init(0);
  auto key = [&] { return runner.state().at("prng_key").value().to_host().to_doubles(); };
  const std::vector<double> before = key();
  runner.update(data::whole_batch(*job.source, 0));
  runner.update(data::whole_batch(*job.source, 1));
  EXPECT_EQ(key(), before);
}

TEST(NotFiniteText, WhatDoesNotRepeatIsSuspicious) {
  const StepStatistics fine{.loss = 1, .params = {{.path = "w", .num_elements = 3}}};
  EXPECT_THAT(not_finite_text(fine), HasSubstr("the hardware may be faulty"));
}

}  // namespace
}  // namespace meshwright::train
