// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/task/model_outputs.h"

#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::train {
namespace {

TEST(ModelOutputs, AreMetricsHistogramsAndStateUpdates) {
  graph::Tracer tracer;
  nn::Outputs outputs;
  Value weight = graph::constant(3.0, f32);
  outputs.summaries["layer0/entropy"] = {.value = graph::constant(0.5, bf16), .weight = weight};
  outputs.summaries["layer0/max"] = {.value = graph::constant(2.0, f32)};
  outputs.summaries["layer0/gate"] = {.value = tracer.argument({f32, {4}})};
  outputs.state_updates["norm/mean"] = weight;
  TaskLoss loss;
  add_outputs(outputs, loss);
  EXPECT_EQ(loss.metrics.at("model/layer0/entropy").mean.dtype(), f32);
  EXPECT_TRUE(loss.metrics.contains("model/layer0/max"));
  EXPECT_EQ(loss.metrics.size(), 2U);
  EXPECT_EQ(loss.histograms.at("model/layer0/gate").dims(), Dims{4});
  EXPECT_NE(loss.state_updates.find("norm/mean"), nullptr);
  EXPECT_TRUE(is_summary("model/layer0/max"));
  EXPECT_FALSE(is_summary("loss"));
}

TEST(ModelOutputs, AnArrayHasNoWeight) {
  graph::Tracer tracer;
  nn::Outputs outputs;
  Value array = tracer.argument({f32, {4}});
  outputs.summaries["gate"] = {.value = array, .weight = graph::constant(1.0, f32)};
  TaskLoss loss;
  EXPECT_THROW(add_outputs(outputs, loss), Error);
}

}  // namespace
}  // namespace meshwright::train
