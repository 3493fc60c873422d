// SPDX-License-Identifier: Apache-2.0
// Training steps of small models, partitioned automatically by axis rules on several meshes: loss,
// gradients and updated parameters equal those of one device, and the collectives are as expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using mesh::AxisRules;
using mesh::Mesh;
using testing::Ge;

// Arrays of a model with their axis names, and its loss.
struct Model {
  struct Array {
    HostTensor value;
    AxisSpec axes;
  };
  Array data;
  std::vector<Array> params;
  std::function<Value(Value data, std::span<const Value> params)> loss;
};

// Returns the loss, and every parameter after one step of gradient descent.
std::vector<Value> train_step(const Model& model, std::span<const Value> args) {
  auto loss = [&](std::span<const Value> params) { return model.loss(args[0], params); };
  autodiff::ValueAndGrad both = autodiff::value_and_grad(loss, args.subspan(1));
  std::vector<Value> out = {both.value};
  for (std::size_t i = 0; i < both.gradients.size(); ++i)
    out.push_back(args[i + 1] - both.gradients[i] * 0.5);
  return out;
}

Outcome run_step(const Model& model,
                 const Mesh& mesh,
                 const AxisRules& params,
                 const AxisRules& activations) {
  std::vector<Input> inputs = {{model.data.value, activations.sharding(model.data.axes)}};
  for (const Model::Array& param : model.params)
    inputs.push_back({param.value, params.sharding(param.axes)});
  auto body = [&](std::span<const Value> args) { return train_step(model, args); };
  return run_on(mesh, inputs, body, activations);
}

Outcome expect_same_as_one_device(const Model& model,
                                  const Mesh& mesh,
                                  const AxisRules& params,
                                  const AxisRules& activations) {
  Outcome one = run_step(model, {}, {}, {});
  Outcome many = run_step(model, mesh, params, activations);
  expect_all_near(many.results, one.results, 1e-5);
  return many;
}

Model mlp() {
  auto loss = [](Value x, std::span<const Value> p) {
    Value hidden = tanh(einsum("batch embed, embed mlp -> batch mlp", x, p[0]));
    hidden = constrain(hidden, "batch mlp");
    Value out = einsum("batch mlp, mlp embed -> batch embed", hidden, p[1]);
    out = constrain(out, "batch embed");
    return global_mean(out * out);
  };
  return {
      .data = {random_array({16, 8}, 1), "batch embed"},
      .params = {{random_array({8, 32}, 2), "embed mlp"}, {random_array({32, 8}, 3), "mlp embed"}},
      .loss = loss};
}

Value softmax(Value x) {
  Value largest = stop_gradient(reduce_max(x, {-1}));
  Value e = exp(x - expand_dims(largest, {x.rank() - 1}));
  return e / expand_dims(reduce_sum(e, {-1}), {x.rank() - 1});
}

Model attention() {
  auto loss = [](Value x, std::span<const Value> p) {
    Value q = einsum("batch len embed, embed heads dim -> batch len heads dim", x, p[0]);
    Value k = einsum("batch src embed, embed heads dim -> batch src heads dim", x, p[1]);
    Value v = einsum("batch src embed, embed heads dim -> batch src heads dim", x, p[2]);
    q = constrain(q, "batch len heads dim");
    Value logits = einsum("batch len heads dim, batch src heads dim -> batch heads len src", q, k);
    Value mixed = einsum("batch heads len src, batch src heads dim -> batch len heads dim",
                         softmax(logits), v);
    Value out = einsum("batch len heads dim, heads dim embed -> batch len embed", mixed, p[3]);
    return global_mean(constrain(x + out, "batch len embed") * out);
  };
  return {.data = {random_array({8, 6, 16}, 1), "batch len embed"},
          .params = {{random_array({16, 4, 4}, 2), "embed heads dim"},
                     {random_array({16, 4, 4}, 3), "embed heads dim"},
                     {random_array({16, 4, 4}, 4), "embed heads dim"},
                     {random_array({4, 4, 16}, 5), "heads dim embed"}},
          .loss = loss};
}

// Every token goes to every expert, weighted by its gate: the communication of a mixture of experts
// without routing.
Model experts() {
  auto loss = [](Value x, std::span<const Value> p) {
    Value gates = softmax(einsum("batch embed, embed expert -> batch expert", x, p[0]));
    Value sent = einsum("batch expert, batch embed -> expert batch embed", gates, x);
    sent = constrain(sent, "expert tokens embed");
    Value hidden =
        tanh(einsum("expert batch embed, expert embed mlp -> expert batch mlp", sent, p[1]));
    Value back = einsum("expert batch mlp, expert mlp embed -> batch embed", hidden, p[2]);
    back = constrain(back, "batch embed");
    return global_mean(back * back);
  };
  return {.data = {random_array({16, 8}, 1), "batch embed"},
          .params = {{random_array({8, 4}, 2), "embed expert"},
                     {random_array({4, 8, 16}, 3), "expert embed mlp"},
                     {random_array({4, 16, 8}, 4), "expert mlp embed"}},
          .loss = loss};
}

const Mesh kDataTensor({{"data", 2}, {"tensor", 4}});
const Mesh kData({{"data", 8}});
const Mesh kThree({{"data", 2}, {"fsdp", 2}, {"tensor", 2}});

TEST(DataParallel, SumsGradientsOverTheBatch) {
  AxisRules activations({{"batch", {"data"}}});
  Outcome outcome = expect_same_as_one_device(mlp(), kData, {}, activations);
  EXPECT_THAT(count_ops(outcome.program, "all-reduce"), Ge(1));
  EXPECT_EQ(count_ops(outcome.program, "all-gather"), 0);
  expect_same_as_one_device(attention(), kData, {}, activations);
  expect_same_as_one_device(experts(), kData, {}, activations);
}

TEST(TensorParallel, ReducesWhatIsContractedOverASplitAxis) {
  AxisRules params({{"mlp", {"tensor"}}, {"heads", {"tensor"}}});
  AxisRules activations({{"batch", {"data"}}, {"mlp", {"tensor"}}, {"heads", {"tensor"}}});
  Outcome outcome = expect_same_as_one_device(mlp(), kDataTensor, params, activations);
  EXPECT_THAT(count_ops(outcome.program, "all-reduce"), Ge(2));
  expect_same_as_one_device(attention(), kDataTensor, params, activations);
}

TEST(FullySharded, GathersParametersWhereTheyAreUsed) {
  AxisRules params({{"embed", {"fsdp"}}, {"mlp", {"tensor"}}, {"heads", {"tensor"}}});
  AxisRules activations({{"batch", {"data", "fsdp"}}, {"mlp", {"tensor"}}, {"heads", {"tensor"}}});
  Outcome outcome = expect_same_as_one_device(mlp(), kThree, params, activations);
  EXPECT_THAT(count_ops(outcome.program, "all-gather"), Ge(1));
  expect_same_as_one_device(attention(), kThree, params, activations);
}

TEST(ExpertParallel, ExchangesTokens) {
  AxisRules params({{"expert", {"tensor"}}});
  AxisRules activations(
      {{"batch", {"data", "tensor"}}, {"tokens", {"data"}}, {"expert", {"tensor"}}});
  Outcome outcome = expect_same_as_one_device(experts(), kDataTensor, params, activations);
  EXPECT_THAT(count_ops(outcome.program, "all-to-all") + count_ops(outcome.program, "all-gather") +
                  count_ops(outcome.program, "reduce-scatter"),
              Ge(1));
}

// Mixture of experts with explicit collectives: tokens are sent to the device of their expert and
// back.
TEST(ExpertParallel, ByHandIsTheSameAsOneDevice) {
  Model model = experts();
  Model by_hand = model;
  by_hand.loss = [](Value x, std::span<const Value> p) {
    auto body = [](std::span<const Value> part) {
      Value gates = softmax(einsum("batch embed, embed expert -> batch expert", part[0], part[1]));
      Value sent = einsum("batch expert, batch embed -> expert batch embed", gates, part[0]);
      Value received = all_to_all(sent, 0, 1, {"tensor"});
      Value hidden =
          tanh(einsum("mine tokens embed, mine embed mlp -> mine tokens mlp", received, part[2]));
      Value out = einsum("mine tokens mlp, mine mlp embed -> mine tokens embed", hidden, part[3]);
      Value back = reduce_sum(all_to_all(out, 1, 0, {"tensor"}), {0});
      return std::vector<Value>{global_mean(back * back)};
    };
    return manual({{x, "batch/data/tensor embed"},
                   {p[0], "embed expert"},
                   {p[1], "expert/tensor embed mlp"},
                   {p[2], "expert/tensor mlp embed"}},
                  {""}, body)[0];
  };
  AxisRules params({{"expert", {"tensor"}}});
  AxisRules activations({{"batch", {"data", "tensor"}}});
  Outcome one = run_step(model, {}, {}, {});
  Model for_mesh = by_hand;
  for_mesh.params[0].axes = AxisSpec("embed gates");
  Outcome many = run_step(for_mesh, kDataTensor, params, activations);
  expect_all_near(many.results, one.results, 1e-5);
  EXPECT_THAT(count_ops(many.program, "all-to-all"), Ge(3));
}

TEST(Donation, KeepsShardedArraysInPlace) {
  graph::Tracer tracer({.mesh = kDataTensor});
  mesh::Sharding cut{{{"data"}, {"tensor"}}};
  Value x = tracer.argument({f32, {8, 8}}, {.name = "x", .sharding = cut, .donated_to = 0});
  runtime::Executable program =
      runtime::test_client().compile(tracer.finish({x * 2}, {{.name = "y", .sharding = cut}}));
  HostTensor start = random_array({8, 8}, 1);
  runtime::DeviceArray first = program.put_argument(0, start);
  std::uintptr_t place = first.address(5);
  std::vector<runtime::DeviceArray> next = program(std::vector<runtime::DeviceArray>{first});
  EXPECT_EQ(next[0].address(5), place);
  EXPECT_FALSE(first.is_alive());
  std::vector<double> twice = start.to_doubles();
  for (double& value : twice)
    value *= 2;
  EXPECT_EQ(next[0].to_host().to_doubles(), twice);
}

TEST(Mesh, OfMoreDevicesThanThereAreIsAnError) {
  graph::Tracer tracer({.mesh = Mesh({{"data", 16}})});
  Value x = tracer.argument({f32, {16}}, {.sharding = mesh::Sharding{{{"data"}}}});
  const Error error = thrown_by([&] { runtime::test_client().compile(tracer.finish({x + 1})); });
  EXPECT_THAT(error.message(), testing::HasSubstr("16"));
  EXPECT_THAT(error.message(), testing::HasSubstr("8"));
}

}  // namespace
}  // namespace meshwright::spmd
