// SPDX-License-Identifier: Apache-2.0
// Compares models with logits and gradients computed by T5X's and Big Vision's own code
// (tests/golden).
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/models/encoder_decoder.h"
#include "meshwright/models/vit.h"
#include "nn_testutil.h"
#include "npy/npy.h"

namespace meshwright::nn {
namespace {

HostTensor golden(const std::string& folder, const std::string& name) {
  return test_npy::read_npy(std::filesystem::path(GOLDEN_FOLDER) / folder / (name + ".npy"));
}

// Splits the values into parameters, in the order of their paths.
HostTree tree_of(const Module& module, const HostTensor& values) {
  const std::span<const float> all = values.values<float>();
  auto next = all.begin();
  HostTree out = map(param_specs(module), [&](const ParamSpec& spec) {
    const auto end = next + num_elements(spec.type.dims);
    std::vector<float> own(next, end);
    next = end;
    return HostTensor::from(own, spec.type.dims);
  });
  EXPECT_EQ(next, all.end());
  return out;
}

// Tolerances are relative to the largest element of the array, and to the element. Gradients that
// are zero except for rounding, such as that of a key bias, are compared relative to all others.
void expect_near(const HostTensor& ours, const HostTensor& theirs, const std::string& what) {
  const std::vector<double> x = ours.to_doubles(), y = theirs.to_doubles();
  ASSERT_EQ(x.size(), y.size()) << what;
  double largest = 0;
  for (const double element : y)
    largest = std::max(largest, std::abs(element));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(x[i], y[i], 1e-5 * largest + 1e-5 * std::abs(y[i]) + 2e-6) << what << " " << i;
}

using Logits = std::function<Value(Ctx& p, std::span<const Value> inputs)>;

// The gradients are those of the mean of the squared logits.
void expect_as_golden(const Module& module,
                      const std::string& folder,
                      const std::vector<std::string>& inputs,
                      const Logits& logits) {
  std::vector<Argument> args;
  for (const std::string& input : inputs)
    args.push_back({golden(folder, input), ""});
  auto body = [&](const ValueTree& values, std::span<const Value> in) {
    auto loss = [&](const ValueTree& params) {
      Context ctx(module, params);
      const Value y = logits(ctx, in);
      autodiff::Loss out{mean(graph::square(y), graph::all_dims(y)), {}};
      out.aux["logits"] = y;
      return out;
    };
    const autodiff::LossAndGrad both = autodiff::value_and_grad(loss, values);
    std::vector<Value> out = leaves(both.aux);
    for (const Value& gradient : leaves(both.gradients))
      out.push_back(gradient);
    return out;
  };
  const HostTree params = tree_of(module, golden(folder, "params"));
  std::vector<HostTensor> found = run_module(module, params, args, body);
  expect_near(found.front(), golden(folder, "logits"), "logits");
  found.erase(found.begin());
  std::size_t next = 0;
  for_each(tree_of(module, golden(folder, "gradients")),
           [&](const std::string& path, const HostTensor& gradient) {
             expect_near(found[next++], gradient, path);
           });
}

void expect_vit(const std::string& name,
                models::Pooling pooling,
                models::ImagePositions positions) {
  models::VitConfig c{.height = 6, .width = 9, .patch = 3, .classes = 5, .layers = 2, .embed = 8};
  c.heads = 2;
  c.mlp = 12;
  c.pooling = pooling;
  c.positions = positions;
  const models::Vit model(c);
  expect_as_golden(model, "big_vision/models/" + name, {"image"},
                   [&](Ctx& p, std::span<const Value> in) { return model.logits(p, in[0]); });
}

TEST(BigVisionModel, VitWithAttentionPooling) {
  expect_vit("vit_map", models::Pooling::attention, models::ImagePositions::learned);
}

TEST(BigVisionModel, VitWithMeanAndSines) {
  expect_vit("vit_gap", models::Pooling::mean, models::ImagePositions::sincos_2d);
}

TEST(BigVisionModel, VitWithATokenOfItsOwn) {
  expect_vit("vit_tok", models::Pooling::first, models::ImagePositions::learned);
}

void expect_t5(const std::string& name, models::EncoderDecoderConfig c) {
  c.vocab = 16;
  c.embed = 8;
  c.heads = 2;
  c.dim = 4;
  c.mlp = 12;
  c.encoder_layers = c.decoder_layers = 2;
  const models::EncoderDecoder model(c);
  expect_as_golden(model, "t5x/models/" + name, {"source", "target"},
                   [&](Ctx& p, std::span<const Value> in) {
                     const Value is_valid = graph::not_equal(in[0], 0);
                     return model.logits(p, in[1], model.encoded(p, in[0], is_valid), is_valid);
                   });
}

TEST(T5xModel, T5) {
  expect_t5("t5", models::EncoderDecoderConfig::t5_small());
}

TEST(T5xModel, T5OnePointOne) {
  expect_t5("t5_1_1", models::EncoderDecoderConfig::t5_1_1_small());
}

}  // namespace
}  // namespace meshwright::nn
