// SPDX-License-Identifier: Apache-2.0
// Batches whose rows have several documents.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/tasks/lm.h"

namespace meshwright::tasks {
namespace {

using graph::Value;
using testing::HasSubstr;

LmTask small_task(LmStyle style, std::int64_t len) {
  LmConfig config;
  config.model.style = style;
  config.model.vocab = 16;
  config.model.layers = 1;
  config.model.embed = config.model.mlp = 8;
  config.model.kv = config.model.q = 1;
  config.model.dim = 8;
  config.model.max_len = 8;
  return {config, len};
}

void fill(data::Batch& batch, std::string_view name, const std::vector<std::int32_t>& values) {
  std::ranges::copy(values, batch.at(name).value().mutable_values<std::int32_t>().begin());
}

struct Arrays {
  bool segments = true, positions = true;
};

// A row of two documents, 5 7 9 and 2 4 6 8, and padding.
data::Batch packed_row(const Arrays& arrays = {}) {
  data::Batch out = data::empty_lm_batch(1, 8);
  fill(out, data::kInputs, {5, 7, 9, 2, 4, 6, 8, 0});
  fill(out, data::kTargets, {7, 9, 2, 4, 6, 8, 0, 0});
  const std::vector<float> weights = {1, 1, 0, 1, 1, 1, 0, 0};
  std::ranges::copy(weights, out.at(data::kWeights).value().mutable_values<float>().begin());
  auto add = [&](std::string_view name, const std::vector<std::int32_t>& values) {
    out[name] = HostTensor::from(values, {1, 8});
  };
  if (arrays.segments) add(data::kSegments, {1, 1, 1, 2, 2, 2, 2, 0});
  if (arrays.positions) add(data::kPositions, {0, 1, 2, 0, 1, 2, 3, 0});
  return out;
}

// The documents in rows of their own.
data::Batch two_rows() {
  data::Batch out = data::empty_lm_batch(2, 4);
  fill(out, data::kInputs, {5, 7, 9, 0, 2, 4, 6, 8});
  fill(out, data::kTargets, {7, 9, 0, 0, 4, 6, 8, 0});
  const std::vector<float> weights = {1, 1, 0, 0, 1, 1, 1, 0};
  std::ranges::copy(weights, out.at(data::kWeights).value().mutable_values<float>().begin());
  return out;
}

// Returns the loss and its weight.
std::pair<double, double> loss_of(LmStyle style, const data::Batch& batch) {
  const LmTask task = small_task(style, batch.at(data::kInputs).value().dims()[1]);
  graph::Tracer tracer({.mesh = {}, .dims = task.dims(), .activations = {}});
  int i = 0;
  const auto params = map(task.param_specs(), [&](const ParamSpec& spec) {
    HostTensor value(spec.type);
    for (float& x : value.mutable_values<float>())
      x = static_cast<float>(std::sin(++i)) / 2;
    return graph::constant(value);
  });
  const auto values = map(batch, [](const HostTensor& array) { return graph::constant(array); });
  const train::TaskLoss loss = task.loss({params, values, graph::random::key(0)});
  auto program = runtime::test_client().compile(tracer.finish({loss.loss.mean, loss.loss.weight}));
  const std::vector<HostTensor> out = run(program, {});
  return {out[0].to_doubles()[0], out[1].to_doubles()[0]};
}

TEST(PackedLm, LossIsThatOfTheDocuments) {
  for (LmStyle style : {LmStyle::llama, LmStyle::gpt2, LmStyle::seqax, LmStyle::fuji}) {
    const auto [expected, weight] = loss_of(style, two_rows());
    EXPECT_EQ(weight, 5);
    const auto packed = loss_of(style, packed_row());
    EXPECT_NEAR(packed.first, expected, 1e-6);
    EXPECT_EQ(packed.second, 5);
    EXPECT_GT(std::abs(loss_of(style, packed_row({false, false})).first - expected), 1e-4);
    EXPECT_GT(std::abs(loss_of(style, packed_row({.segments = false})).first - expected), 1e-4);
  }
  // Learned positions depend on where the document starts; rotary ones are relative.
  const data::Batch segments_only = packed_row({.positions = false});
  EXPECT_NEAR(loss_of(LmStyle::llama, segments_only).first,
              loss_of(LmStyle::llama, two_rows()).first, 1e-6);
  EXPECT_GT(std::abs(loss_of(LmStyle::gpt2, segments_only).first -
                     loss_of(LmStyle::gpt2, two_rows()).first),
            1e-4);
}

TEST(PackedLm, LearnedPositionsAreThoseTheModelHas) {
  data::Batch batch = packed_row();
  fill(batch, data::kPositions, {0, 1, 8, 0, 1, 2, 3, 0});
  auto complaint = [&](LmStyle style) {
    const LmTask task = small_task(style, 8);
    return message_of([&] { data::check_integers(batch, task.integer_ranges(), {0, 1}); });
  };
  EXPECT_THAT(complaint(LmStyle::gpt2), HasSubstr("'positions' is 8 in row 0, position 2"));
  EXPECT_EQ(complaint(LmStyle::llama), "no error");
}

}  // namespace
}  // namespace meshwright::tasks
