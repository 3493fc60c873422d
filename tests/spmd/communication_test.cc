// SPDX-License-Identifier: Apache-2.0
// The exact collectives in the optimized programs of a training step. An additional one costs time
// in every step, and is easily caused by an unexpected sharding.
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/formula.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using mesh::AxisRules;
using mesh::Mesh;
using Values = std::vector<Value>;
using Args = std::span<const Value>;
using Loss = std::function<Value(Args)>;  // of x, w1, w2

const AxisSpec kAxes[] = {"batch embed", "embed mlp", "mlp embed"};

Value automatic(Args a) {
  Value hidden = tanh(einsum("batch embed, embed mlp -> batch mlp", a[0], a[1]));
  hidden = constrain(hidden, "batch mlp");
  Value out = einsum("batch mlp, mlp embed -> batch embed", hidden, a[2]);
  return global_mean(square(constrain(out, "batch embed")));
}

// Returns the collectives of a step that computes loss and updated parameters, after checking the
// results.
std::string collectives_of_step(const Loss& loss,
                                const Mesh& mesh,
                                const AxisRules& params,
                                const AxisRules& activations,
                                const Loss& on_one_device = automatic) {
  std::vector<HostTensor> values = {random_array({16, 8}, 1), random_array({8, 32}, 2),
                                    random_array({32, 8}, 3)};
  auto step = [](const Loss& fn) {
    return [fn](Args args) {
      auto of_weights = [&](Args w) { return fn(std::array{args[0], w[0], w[1]}); };
      autodiff::ValueAndGrad both = autodiff::value_and_grad(of_weights, args.subspan(1));
      return Values{both.value, args[1] - both.gradients[0], args[2] - both.gradients[1]};
    };
  };
  std::vector<Input> whole, cut;
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole.push_back({values[i], {}});
    cut.push_back({values[i], (i == 0 ? activations : params).sharding(kAxes[i])});
  }
  graph::Tracer tracer({.mesh = mesh, .activations = activations});
  Values args;
  std::vector<ResultInfo> results = {{.name = "loss"}};
  for (std::size_t i = 0; i < cut.size(); ++i) {
    args.push_back(tracer.argument(values[i].type(), {.name = "x", .sharding = cut[i].sharding}));
    if (i > 0) results.push_back({.name = "w", .sharding = cut[i].sharding});
  }
  graph::Program program = tracer.finish(step(loss)(args), results);
  runtime::Executable executable = runtime::test_client().compile(program);
  expect_all_near(run(executable, values), run_on({}, whole, step(on_one_device)).results, 1e-5);
  return collectives_of(executable);
}

TEST(Communication, OfDataParallelStepsIsOneCombinedAllReduce) {
  AxisRules activations({{"batch", {"data"}}});
  EXPECT_EQ(collectives_of_step(automatic, Mesh({{"data", 8}}), {}, activations), "all-reduce 1");
}

TEST(Communication, OfFullyShardedStepsGathersEachWeightOnce) {
  AxisRules params({{"embed", {"fsdp"}}}), activations({{"batch", {"fsdp"}}});
  // XLA for CPUs sums whole gradients together with the loss and slices them; it does not use a
  // reduce-scatter there.
  EXPECT_EQ(collectives_of_step(automatic, Mesh({{"fsdp", 8}}), params, activations),
            "all-reduce 1, all-gather 2");
}

TEST(Communication, OfTensorParallelStepsSumsEachContraction) {
  AxisRules params({{"mlp", {"tensor"}}}), activations({{"mlp", {"tensor"}}});
  EXPECT_EQ(collectives_of_step(automatic, Mesh({{"tensor", 8}}), params, activations),
            "all-reduce 1");
}

TEST(Communication, OfManualStepsIsWhatTheyWrite) {
  auto by_hand = [](Args a) {
    auto body = [](Args p) {
      Value w1 = all_gather("E/d M/t -> E M/t", p[1]);
      Value w2 = all_gather("M/t E/d -> M/t E", p[2]);
      Value hidden = tanh(einsum_unreduced("B/d E, E M/t -> B/d M/t", p[0], w1));
      Value out = einsum_unreduced("B/d M/t, M/t E -> B/d E", hidden, w2);
      return Values{global_mean(square(all_reduce(out, {"t"})))};
    };
    return manual({{a[0], "B/d E"}, {a[1], "E/d M/t"}, {a[2], "M/t E/d"}}, {""}, body)[0];
  };
  AxisRules params({{"embed", {"d"}}, {"mlp", {"t"}}}), activations({{"batch", {"d"}}});
  // Gathers of both weights; the sum over t and the loss; scatters of both gradients.
  EXPECT_EQ(collectives_of_step(by_hand, Mesh({{"d", 2}, {"t", 4}}), params, activations),
            "all-reduce 2, all-gather 2, reduce-scatter 2");
}

// Weights that a region captures, and their use in its body.
using Layers = std::function<Value(Value x, Value w1, Value w2)>;

Value two_layers(Value x, Value w1, Value w2) {
  Value hidden = tanh(einsum("batch embed, embed mlp -> batch mlp", x, w1));
  return einsum("batch mlp, mlp embed -> batch embed", hidden, w2);
}

std::string collectives_with_captures(const Layers& layers) {
  auto step = [&](Args a) {
    auto body = [&](Args p) { return Values{global_mean(square(layers(p[0], a[1], a[2])))}; };
    return manual({{a[0], "batch/d embed"}}, {""}, body)[0];
  };
  AxisRules params({{"embed", {"d"}}}), activations({{"batch", {"d"}}});
  return collectives_of_step(step, Mesh({{"d", 8}}), params, activations);
}

constexpr std::string_view kGatherAndScatterEach =
    "all-reduce 1, all-gather 2, reduce-scatter 2";  // one all-reduce: the loss

TEST(Communication, OfCapturedWeightsIsAGatherAndAScatterOfEach) {
  EXPECT_EQ(collectives_with_captures(two_layers), kGatherAndScatterEach);
}

// Weights used in a body inside the region are gathered outside of that body, and gradients are
// summed there before they are scattered.
TEST(Communication, OfCapturedWeightsIsOutsideOfLoopsBranchesAndRemat) {
  EXPECT_EQ(collectives_with_captures([](Value x, Value w1, Value w2) {
              auto body = [&](Args a) { return Values{two_layers(a[0], w1, w2)}; };
              return remat(Values{x}, body)[0];
            }),
            kGatherAndScatterEach);
  EXPECT_EQ(collectives_with_captures([](Value x, Value w1, Value w2) {
              auto layers = [&](Args a) { return Values{two_layers(a[0], w1, w2)}; };
              auto none = [](Args a) { return Values{a[0]}; };
              return cond(global_sum(x) < 1e9, layers, none, Values{x})[0];
            }),
            "all-reduce 2, all-gather 2, reduce-scatter 2");  // one more, for the condition
}

Value three_times(Value x, Value w1, Value w2) {
  auto once = [&](Args carry, Args) { return ScanStep{{two_layers(carry[0], w1, w2)}, {}}; };
  return scan(Values{x}, {}, once, {.length = 3}).carry[0];
}

TEST(Communication, OfWeightsCapturedInALoopIsOncePerLoop) {
  Loss whole = [](Args a) { return global_mean(square(three_times(a[0], a[1], a[2]))); };
  Loss parts = [](Args a) {
    auto body = [&](Args p) { return Values{global_mean(square(three_times(p[0], a[1], a[2])))}; };
    return manual({{a[0], "batch/d embed"}}, {""}, body)[0];
  };
  AxisRules params({{"embed", {"d"}}}), activations({{"batch", {"d"}}});
  EXPECT_EQ(collectives_of_step(parts, Mesh({{"d", 8}}), params, activations, whole),
            kGatherAndScatterEach);
}

// The captured values are computed from the weights and sharded like them.
TEST(Communication, OfCapturesMadeOfWeightsIsAGatherAndAScatterOfEach) {
  auto loss = [](Args a, bool by_hand) {
    Value first = take_slice(reshape(a[1] * 2, {8, 4, 8}), 1, 0, 3);
    Value second = cast(take_slice(a[2], 0, 0, 24) + 1, f64);
    auto body = [&](Args x) {
      Value out = two_layers(x[0], reshape(first, {8, 24}), cast(second, f32));
      return Values{global_mean(square(out))};
    };
    return by_hand ? manual({{a[0], "batch/d embed"}}, {""}, body)[0] : body(a)[0];
  };
  Loss whole = [&](Args a) { return loss(a, false); };
  Loss parts = [&](Args a) { return loss(a, true); };
  AxisRules params({{"embed", {"d"}}}), activations({{"batch", {"d"}}});
  EXPECT_EQ(collectives_of_step(parts, Mesh({{"d", 8}}), params, activations, whole),
            kGatherAndScatterEach);
}

TEST(Communication, OfCapturedWeightsIsAlongAllAxesThatSplitThem) {
  auto by_hand = [](Args a) {
    auto body = [&](Args p) { return Values{global_mean(square(two_layers(p[0], a[1], a[2])))}; };
    return manual({{a[0], "batch/d/t embed"}}, {""}, body)[0];
  };
  AxisRules params({{"embed", {"d"}}, {"mlp", {"t"}}}), activations({{"batch", {"d", "t"}}});
  EXPECT_EQ(collectives_of_step(by_hand, Mesh({{"d", 2}, {"t", 4}}), params, activations),
            "all-reduce 1, all-gather 4, reduce-scatter 4");
}

}  // namespace
}  // namespace meshwright::spmd
