// SPDX-License-Identifier: Apache-2.0
// One decoder in four forms: layer by layer or scanned, with and without rematerialisation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "models/decoder.h"
#include "models/train_step.h"
#include "numbers_testutil.h"

namespace meshwright::autodiff {
namespace {

using test_models::DecoderConfig;
using test_models::Model;
using test_models::Params;
using Values = std::vector<Value>;
using Args = std::span<const Value>;
using testing::DoubleNear;
using testing::Pointwise;

DecoderConfig tiny(bool scanned, bool remat) {
  return {.layers = 2,
          .embed = 8,
          .kv = 2,
          .q = 2,
          .dim = 4,
          .mlp = 16,
          .vocab = 11,
          .batch = 2,
          .len = 5,
          .scanned = scanned,
          .remat = remat};
}

// Returns the parameters of the scanned form, stacked from those of the unrolled one.
Values stacked_layers(const Model& scanned, const Model& unrolled, Args params, int layers) {
  Params by_name(unrolled.params, params);
  Values out;
  for (const test_models::ParamSpec& spec : scanned.params) {
    if (!spec.name.starts_with("layers.")) {
      out.push_back(by_name[spec.name]);
      continue;
    }
    Values parts;
    for (int i = 0; i < layers; ++i)
      parts.push_back(by_name[str("layers.", i, spec.name.substr(6))]);
    out.push_back(stack(parts, 0));
  }
  return out;
}

// Returns loss and gradients with respect to the parameters of the unrolled form.
std::vector<std::vector<double>> loss_and_gradients(const DecoderConfig& config) {
  DecoderConfig plain = config;
  plain.scanned = false;
  Model unrolled = decoder(plain);
  Model model = decoder(config);
  auto program = [&](Args) {
    Values inputs = synthetic_inputs(model.inputs, 0);
    auto loss = [&](Args p) {
      Values own = config.scanned ? stacked_layers(model, unrolled, p, config.layers)
                                  : Values(p.begin(), p.end());
      return model.loss(Params(model.params, own), inputs);
    };
    ValueAndGrad out = value_and_grad(loss, initial_values(unrolled.params));
    Values results = {out.value};
    results.insert(results.end(), out.gradients.begin(), out.gradients.end());
    return results;
  };
  return evaluate(program, {});
}

void expect_same_numbers(const DecoderConfig& config) {
  static const auto expected = loss_and_gradients(tiny(false, false));
  auto actual = loss_and_gradients(config);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_THAT(actual[i], Pointwise(DoubleNear(1e-5), expected[i])) << i;
}

TEST(DecoderForms, ScannedLayersGiveTheNumbersOfUnrolledOnes) {
  expect_same_numbers(tiny(true, false));
}

TEST(DecoderForms, RematGivesTheSameNumbers) {
  expect_same_numbers(tiny(false, true));
}

TEST(DecoderForms, ScanOfRematGivesTheSameNumbers) {
  expect_same_numbers(tiny(true, true));
}

// Returns the number of values that the forward scan stacks for the backward scan.
int num_kept_of_each_layer(const DecoderConfig& config) {
  graph::Program program = trace_value_and_grad(decoder(config));
  for (const graph::Node* node : program.main->nodes) {
    if (node->op == &graph::kScan)
      return node->num_results() - node->attr<graph::ScanAttrs>().num_carry;
  }
  return -1;
}

TEST(DecoderForms, ScanOfRematKeepsOnlyTheInputOfEachLayer) {
  EXPECT_EQ(num_kept_of_each_layer(tiny(true, true)), 1);
  EXPECT_GT(num_kept_of_each_layer(tiny(true, false)), 10);
}

}  // namespace
}  // namespace meshwright::autodiff
