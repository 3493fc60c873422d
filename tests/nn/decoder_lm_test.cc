// SPDX-License-Identifier: Apache-2.0
#include "meshwright/models/decoder_lm.h"

#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/nn/losses.h"
#include "nn_testutil.h"

namespace meshwright::models {
namespace {

using nn::Argument;
using nn::HostTree;
using nn::Place;
using nn::ValueTree;

DecoderLmConfig small(DecoderLmConfig c = {}) {
  c.vocab = 32;
  c.layers = 2;
  c.embed = 16;
  c.kv = 2;
  c.q = 2;
  c.dim = 8;
  c.mlp = 24;
  c.max_len = 16;
  return c;
}

// Returns loss and gradients of next-token prediction.
std::vector<HostTensor> loss_and_gradients(const DecoderLmConfig& config,
                                           const HostTree& params,
                                           const nn::ContextOptions& options = {},
                                           const Place& place = {}) {
  DecoderLm lm(config);
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    auto loss = [&](const ValueTree& p) {
      nn::Context ctx(lm, p, options);
      Value logits = lm.logits(ctx, {.ids = take_slice(args[0], 1, 0, -1)});
      Value each = nn::cross_entropy(logits, take_slice(args[0], 1, 1), {.z_loss = 1e-3});
      return autodiff::Loss{graph::global_mean(each), {}};
    };
    autodiff::LossAndGrad both = autodiff::value_and_grad(loss, values);
    std::vector<Value> out = leaves(both.gradients);
    out.insert(out.begin(), both.value);
    return out;
  };
  Argument tokens{nn::some_tokens({8, 13}, 32), "batch len_and_one"};
  return nn::run_module(lm, params, {tokens}, body, place);
}

TEST(DecoderLm, ScannedAndUnrolledAreInterchangeable) {
  for (DecoderLmConfig c : {small(), small(DecoderLmConfig::gpt2())}) {
    HostTree params = nn::made_up_values(DecoderLm(c));
    std::vector<HostTensor> scanned = loss_and_gradients(c, params);
    c.stack = nn::StackForm::unrolled;
    nn::expect_close(loss_and_gradients(c, params), scanned, 2e-6);
  }
}

TEST(DecoderLm, RematChangesNothing) {
  DecoderLmConfig c = small();
  HostTree params = nn::made_up_values(DecoderLm(c));
  std::vector<HostTensor> plain = loss_and_gradients(c, params);
  for (const graph::SavePolicy& policy : {graph::keep_nothing(), graph::keep_saved()}) {
    c.remat = policy;
    nn::expect_close(loss_and_gradients(c, params), plain, 2e-6);
  }
}

TEST(DecoderLm, OnEightDevicesIsTheSameAsOnOne) {
  Place place{
      .mesh = mesh::Mesh({{"data", 2}, {"fsdp", 2}, {"tensor", 2}}),
      .params = mesh::AxisRules(
          {{"embed", {"fsdp"}}, {"kv", {"tensor"}}, {"mlp", {"tensor"}}, {"vocab", {"tensor"}}}),
      .activations = mesh::AxisRules({{"batch", {"data", "fsdp"}},
                                      {"kv", {"tensor"}},
                                      {"mlp", {"tensor"}},
                                      {"vocab", {"tensor"}}})};
  for (nn::StackForm form : {nn::StackForm::scanned, nn::StackForm::unrolled}) {
    DecoderLmConfig c = small();
    c.stack = form;
    HostTree params = nn::made_up_values(DecoderLm(c));
    nn::expect_close(loss_and_gradients(c, params, {}, place), loss_and_gradients(c, params), 5e-6);
  }
}

TEST(DecoderLm, ParametersAreDrawnTheSameForAnyNumberOfLayers) {
  DecoderLmConfig c = small();
  HostTree two = nn::drawn_values(DecoderLm(c));
  c.layers = 1;
  HostTree one = nn::drawn_values(DecoderLm(c));
  std::vector<double> tall = two.at("layers/attention/w_q").value().to_doubles();
  std::vector<double> low = one.at("layers/attention/w_q").value().to_doubles();
  tall.resize(low.size());
  EXPECT_EQ(tall, low);
}

TEST(DecoderLm, DropoutIsByTheKeyAndOffInEvaluation) {
  DecoderLmConfig c = small();
  c.dropout = 0.3;
  HostTree params = nn::made_up_values(DecoderLm(c));
  auto loss = [&](bool is_training, int seed, nn::StackForm form) {
    c.stack = form;
    DecoderLm lm(c);
    auto body = [&](const ValueTree& values, std::span<const Value> args) {
      nn::Context ctx(lm, values, {.is_training = is_training, .key = graph::random::key(seed)});
      return std::vector{lm.logits(ctx, {.ids = args[0]})};
    };
    return nn::run_module(lm, params, {{nn::some_tokens({2, 6}, 32), "batch len"}}, body);
  };
  using enum nn::StackForm;
  std::vector<HostTensor> trained = loss(true, 1, scanned);
  nn::expect_close(loss(true, 1, unrolled), trained, 2e-6);
  EXPECT_NE(loss(true, 2, scanned)[0].to_doubles(), trained[0].to_doubles());
  EXPECT_EQ(loss(false, 1, scanned)[0].to_doubles(), loss(false, 2, scanned)[0].to_doubles());
}

TEST(DecoderLm, SegmentsAreIndependent) {
  DecoderLmConfig c = small();
  DecoderLm lm(c);
  HostTree params = nn::made_up_values(lm);
  HostTensor ids = nn::some_tokens({1, 8}, 32);
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    nn::Context ctx(lm, values);
    Value packed = lm.logits(ctx, {.ids = args[0], .segments = args[1], .positions = args[2]});
    Value second = lm.logits(ctx, {.ids = take_slice(args[0], 1, 5)});
    return std::vector{take_slice(packed, 1, 5), second};
  };
  HostTensor segments = HostTensor::from<std::int32_t>({1, 1, 1, 1, 1, 2, 2, 2}, {1, 8});
  HostTensor positions = HostTensor::from<std::int32_t>({0, 1, 2, 3, 4, 0, 1, 2}, {1, 8});
  std::vector<HostTensor> out = nn::run_module(
      lm, params, {{ids, "batch len"}, {segments, "batch len"}, {positions, "batch len"}}, body);
  nn::expect_close({out[0]}, {out[1]}, 2e-6);
}

TEST(DecoderLm, WithCacheIsTheSameAsWithout) {
  DecoderLmConfig with_window = small();
  with_window.window = 3;
  for (const DecoderLmConfig& c : {small(), small(DecoderLmConfig::gpt2()), with_window}) {
    DecoderLm lm(c);
    HostTree params = nn::made_up_values(lm);
    auto body = [&](const ValueTree& values, std::span<const Value> args) {
      nn::Context ctx(lm, values);
      Value all = lm.logits(ctx, {.ids = args[0]});
      LmCache cache = lm.empty_cache(f32, 2, 9);
      std::vector<Value> parts = {
          lm.logits_with_cache(ctx, take_slice(args[0], 1, 0, 4), graph::constant(0, s32), cache)};
      for (int at = 4; at < 7; ++at) {
        parts.push_back(lm.logits_with_cache(ctx, take_slice(args[0], 1, at, at + 1),
                                             graph::constant(at, s32), cache));
      }
      return std::vector{graph::concatenate(parts, 1), all};
    };
    HostTensor ids = nn::some_tokens({2, 7}, 32);
    std::vector<HostTensor> out = nn::run_module(lm, params, {{ids, "batch len"}}, body);
    nn::expect_close({out[0]}, {out[1]}, 2e-6);
  }
}

}  // namespace
}  // namespace meshwright::models
