// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "meshwright/data/core/lm_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/tasks/lm.h"

namespace meshwright::tasks {
namespace {

constexpr std::int64_t kVocab = 8, kLen = 6, kRows = 3;

// The model has two tokens more than the tokenizer, whose token 0 ends documents. Tokens 1 and 2
// begin with a space, which they lose at the start of a text.
data::TextCodec codec() {
  data::TextCodec out = data::token_numbers();
  out.end_tokens = {0};
  out.token_sizes = [] {
    return data::TokenSizes{.inside = {0, 4, 1, 3, 5, 2}, .at_start = {0, 3, 0, 3, 5, 2}};
  };
  return out;
}

LmTask small_task(const TokenLossConfig& loss = {}) {
  LmConfig config;
  static_cast<TokenLossConfig&>(config) = loss;
  config.model.vocab = kVocab;
  config.model.layers = 1;
  config.model.embed = config.model.mlp = config.model.dim = 8;
  config.model.kv = config.model.q = 1;
  return {config, kLen, {}, codec()};
}

// Documents 1 3 2, 1 4 5 and 2 4 with their ends, a mask over the 3 at the end, and a row of
// padding.
const std::vector<std::int32_t> kInputs = {1, 3, 2, 0, 1, 4, 5, 0, 2, 4, 0, 3, 0, 0, 0, 0, 0, 0};
const std::vector<std::int32_t> kTargets = {3, 2, 0, 1, 4, 5, 0, 2, 4, 7, 3, 1, 0, 0, 0, 0, 0, 0};
const std::vector<float> kWeights = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0.5, 0, 0, 0, 0, 0, 0};
// The weighted bytes of the targets: 2 begins a text after 0; 7 is no token of the tokenizer.
const std::vector<double> kBytes = {3, 1, 0, 3, 5, 2, 0, 0, 5, 0, 0, 2, 0, 0, 0, 0, 0, 0};

struct Measured {
  double bits_per_byte = 0, num_bytes = 0, loss = 0;
  std::vector<double> logits;
};

Measured measured(const LmTask& task) {
  graph::Tracer tracer({.mesh = {}, .dims = task.dims(), .activations = {}});
  int i = 0;
  const auto params = map(task.param_specs(), [&](const ParamSpec& spec) {
    HostTensor value(spec.type);
    for (float& x : value.mutable_values<float>())
      x = static_cast<float>(std::sin(++i));
    return graph::constant(value);
  });
  train::ValueTree batch;
  batch[data::kInputs] = graph::constant(HostTensor::from(kInputs, {kRows, kLen}));
  batch[data::kTargets] = graph::constant(HostTensor::from(kTargets, {kRows, kLen}));
  batch[data::kWeights] = graph::constant(HostTensor::from(kWeights, {kRows, kLen}));
  const train::TaskLoss loss = task.loss({params, batch, graph::random::key(0)});
  nn::Ctx p(task.model(), params, {});
  const graph::Value logits =
      kernels::logits(task.model().projection(p, {.ids = batch.at(data::kInputs).value()}));
  const train::Weighted metric = loss.metrics.at("bits_per_byte");
  auto program = runtime::test_client().compile(
      tracer.finish({metric.mean, metric.weight, loss.loss.mean, logits}));
  const std::vector<HostTensor> out = runtime::run(program, {});
  return {out[0].to_doubles()[0], out[1].to_doubles()[0], out[2].to_doubles()[0],
          out[3].to_doubles()};
}

double expected_bits_per_byte(const std::vector<double>& logits) {
  double nats = 0, num_bytes = 0;
  for (std::size_t i = 0; i < kTargets.size(); ++i) {
    double sum = 0;
    for (std::size_t token = 0; token < kVocab; ++token)
      sum += std::exp(logits[i * kVocab + token]);
    const auto target = static_cast<std::size_t>(kTargets[i]);
    nats += kWeights[i] * (std::log(sum) - logits[i * kVocab + target]);
    num_bytes += kBytes[i];
  }
  return nats / std::numbers::ln2 / num_bytes;
}

TEST(BitsPerByte, AreThoseOfTheTargetsThatCount) {
  const Measured found = measured(small_task());
  EXPECT_EQ(found.num_bytes, 21);
  EXPECT_NEAR(found.bits_per_byte, expected_bits_per_byte(found.logits), 1e-5);
}

TEST(BitsPerByte, LeaveOutLabelSmoothingAndZLoss) {
  TokenLossConfig smoothed;
  smoothed.label_smoothing = 0.2;
  smoothed.z_loss = 0.1;
  const Measured plain = measured(small_task()), found = measured(small_task(smoothed));
  EXPECT_GT(std::abs(found.loss - plain.loss), 0.01);
  EXPECT_NEAR(found.bits_per_byte, plain.bits_per_byte, 1e-5);
}

TEST(BitsPerByte, AreNotComputedInTrainingNorWithoutText) {
  const LmTask task = small_task();
  graph::Tracer tracer({.mesh = {}, .dims = task.dims(), .activations = {}});
  const auto params =
      map(task.param_specs(), [&](const ParamSpec& spec) { return tracer.argument(spec.type); });
  const auto batch = map(data::lm_batch_spec(1, kLen),
                         [&](const data::ArraySpec& spec) { return tracer.argument(spec.type); });
  const auto has_metric = [&](const train::Task& of, bool is_training) {
    return of.loss({params, batch, graph::random::key(0), is_training})
        .metrics.contains("bits_per_byte");
  };
  EXPECT_TRUE(has_metric(task, false));
  EXPECT_FALSE(has_metric(task, true));
  LmConfig config;
  config.model.vocab = kVocab;
  config.model.layers = 1;
  config.model.embed = config.model.mlp = config.model.dim = 8;
  config.model.kv = config.model.q = 1;
  EXPECT_FALSE(has_metric(LmTask(config, kLen, {}, data::token_numbers()), false));
}

}  // namespace
}  // namespace meshwright::tasks
