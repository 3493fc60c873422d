// SPDX-License-Identifier: Apache-2.0
// Sharding rules for the outputs of modules, on 8 devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/models/vit.h"
#include "meshwright/nn/mlp.h"
#include "meshwright/nn/stack.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "nn_testutil.h"

namespace meshwright::nn {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Layer : Module {
  using Module::Module;
  Mlp mlp{this, "mlp"};
  Value operator()(Ctx& p, Value x) const { return x + mlp(p, x); }
};
struct Model : Module {
  Model() : Module({{"layers", 2}, {"embed", 8}, {"mlp", 16}}) {}
  Stack<Layer> layers{this, "layers"};
};

const mesh::Mesh kMesh({{"data", 2}, {"tensor", 4}});

// Returns the program of a loss and its gradient.
std::string traced(const std::vector<graph::OutputRule>& outputs,
                   std::vector<std::string>* warnings = nullptr) {
  Model model;
  graph::Tracer tracer({.mesh = kMesh, .dims = {}, .activations = {}});
  graph::OutputRuleScope scope(outputs);
  Value x = tracer.argument({f32, {4, 6, 8}});
  ValueTree params = initial_values(model, graph::random::key(0));
  auto loss = [&](const ValueTree& values) {
    Context p(model, values);
    return autodiff::Loss{graph::global_mean(square(model.layers(p, x))), {}};
  };
  autodiff::LossAndGrad both = autodiff::value_and_grad(loss, params);
  std::vector<Value> results = leaves(both.gradients);
  results.push_back(both.value);
  if (warnings != nullptr) *warnings = scope.warnings();
  return write_stablehlo(tracer.finish(results));
}

const mesh::Sharding kSplit{{{"data"}, {}, {"tensor"}}};
constexpr char kConstraint[] = "sharding_constraint";

TEST(OutputRules, DecideHowTheResultsOfAModuleLie) {
  std::string text = traced({{Regex(".*/mlp"), kSplit}});
  EXPECT_THAT(text, HasSubstr("<@mesh, [{\"data\"}, {}, {\"tensor\"}]>"));
  EXPECT_THAT(traced({}), Not(HasSubstr(kConstraint)));
}

TEST(OutputRules, TheFirstThatMatchesTheWholePathCounts) {
  std::string other = traced(
      {{Regex("mlp"), kSplit}, {Regex("layers/mlp"), {{{"tensor"}}}}, {Regex(".*"), kSplit}});
  EXPECT_THAT(other, HasSubstr("<@mesh, [{\"tensor\"}, {}, {}]>"));
  EXPECT_THAT(other, Not(HasSubstr("\"data\"}, {}, {\"tensor\"")));
}

TEST(OutputRules, ThatDecideAboutNothingAreWarnings) {
  std::vector<std::string> warnings;
  traced({{Regex("mlp"), kSplit}, {Regex("layers/mlp"), kSplit}}, &warnings);
  EXPECT_THAT(warnings,
              testing::ElementsAre("sharding.outputs: pattern 'mlp' applies to no module"));
}

TEST(OutputRules, ThatDoNotSuitTheResultNameTheModule) {
  auto four_dims = [] { traced({{Regex(".*/mlp"), {{{}, {}, {}, {"tensor"}}}}}); };
  EXPECT_THAT(message_of(four_dims), HasSubstr("has 4 dimensions, but the module returns"));
  EXPECT_THAT(message_of(four_dims), HasSubstr("(layers/mlp"));
  auto does_not_divide = [] { traced({{Regex(".*/mlp"), {{{}, {"tensor"}}}}}); };
  EXPECT_THAT(message_of(does_not_divide), HasSubstr("6"));
}

TEST(OutputRules, ResultsOnEightDevicesStayTheSame) {
  models::VitConfig c{.height = 8, .width = 8, .patch = 4, .classes = 6, .layers = 2, .embed = 8};
  c.heads = 2;
  c.mlp = 16;
  c.pooling = models::Pooling::attention;
  models::Vit vit(c);
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    auto loss = [&](const ValueTree& params) {
      Context p(vit, params);
      return autodiff::Loss{graph::global_mean(square(vit.logits(p, args[0]))), {}};
    };
    autodiff::LossAndGrad both = autodiff::value_and_grad(loss, values);
    std::vector<Value> out = leaves(both.gradients);
    out.insert(out.begin(), both.value);
    return out;
  };
  const std::vector<Argument> images = {{some_floats({8, 8, 8, 3}), "batch height width channels"}};
  const mesh::Sharding rows{{{"data"}}};
  Place split{.mesh = kMesh,
              .params = {{"mlp", {"tensor"}}},
              .activations = {{"batch", {"data"}}},
              .outputs = {{Regex("(encoder/layers/(mlp|attention)|patches)"), kSplit},
                          {Regex("encoder/layers"), {{{"data"}, {"tensor"}}}},
                          {Regex("encoder(/.*)?|pool(/.*)?|head"), rows}}};
  const HostTree params = made_up_values(vit);
  expect_close(run_module(vit, params, images, body, split), run_module(vit, params, images, body),
               5e-6);
}

}  // namespace
}  // namespace meshwright::nn
