// SPDX-License-Identifier: Apache-2.0
// Manual regions inside loops, branches and remat: values and gradients equal those of one device.
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/sharding/global.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using Values = std::vector<Value>;
using Args = std::span<const Value>;
using Layer = std::function<Value(Value x, Value w)>;

Value whole_layer(Value x, Value w) {
  return tanh(einsum("batch in, in out -> batch out", x, w));
}

// The layer on shards: the product is summed over the columns of x, of which each device has some.
Value manual_layer(Value x, Value w) {
  auto body = [](Args p) {
    Value part = einsum("batch in, in out -> batch out", p[0], p[1]);
    return Values{tanh(reduce_scatter(part, 1, {"t"}))};
  };
  return manual({{x, "batch/d in/t"}, {w, "in/t out"}}, {"batch/d in/t"}, body)[0];
}

// The layer with the weight captured from outside.
Value capturing_layer(Value x, Value w) {
  auto body = [&](Args p) {
    Value all = all_gather(p[0], 1, {"t"});
    Value mine = einsum("batch in, in out -> batch out", all, w);
    return Values{tanh(reduce_scatter(mine * 0.25, 1, {"t"}))};
  };
  return manual({{x, "batch/d in/t"}}, {"batch/d in/t"}, body)[0];
}

using Model = std::function<Value(Value x, Value w, const Layer& layer)>;

// Compares loss and gradients of x [8,16] and w [3,16,16] for each form of the layer.
void expect_same(const Model& model) {
  std::vector<Input> inputs = {{random_array({8, 16}, 1), {{{"d"}, {"t"}}}},
                               {random_array({3, 16, 16}, 2), {{{}, {"t"}}}}};
  auto program = [&](const Layer& layer) {
    return [&model, layer](Args args) {
      auto loss = [&](Args a) {
        Value out = model(a[0], a[1], layer);
        return global_mean(out * out);
      };
      autodiff::ValueAndGrad both = autodiff::value_and_grad(loss, args);
      return Values{both.value, both.gradients[0], both.gradients[1]};
    };
  };
  Outcome one = run_on({}, inputs, program(whole_layer));
  expect_all_near(run_on(kMesh, inputs, program(whole_layer)).results, one.results, 1e-5);
  expect_all_near(run_on(kMesh, inputs, program(manual_layer)).results, one.results, 1e-5);
  expect_all_near(run_on(kMesh, inputs, program(capturing_layer)).results, one.results, 1e-5);
}

Value scanned(Value x, Value w, const Layer& layer) {
  auto step = [&](Args carry, Args xs) { return ScanStep{{layer(carry[0], xs[0])}, {}}; };
  return scan(Values{x}, Values{w}, step).carry[0];
}

TEST(ManualRegions, InsideAScan) {
  expect_same(scanned);
}

TEST(ManualRegions, InsideAScanWithTheWeightFromOutside) {
  expect_same([](Value x, Value w, const Layer& layer) {
    Value first = reduce_sum(w, {0});
    auto step = [&](Args carry, Args) { return ScanStep{{layer(carry[0], first)}, {}}; };
    return scan(Values{x}, {}, step, {.length = 2}).carry[0];
  });
}

TEST(ManualRegions, InsideACond) {
  for (double limit : {-1e9, 1e9}) {
    expect_same([&](Value x, Value w, const Layer& layer) {
      Value first = reduce_sum(w, {0});
      Value chosen = global_sum(x) < limit;
      return cond(
          chosen, [&](Args a) { return Values{layer(a[0], first)}; },
          [&](Args a) { return Values{layer(layer(a[0], first), first)}; }, Values{x})[0];
    });
  }
}

TEST(ManualRegions, InsideRemat) {
  for (const SavePolicy& policy : {keep_nothing(), keep_dots(), keep_everything()}) {
    expect_same([&](Value x, Value w, const Layer& layer) {
      auto body = [&](Args a) { return Values{layer(a[0], a[1])}; };
      return remat(Values{x, reduce_sum(w, {0})}, body, policy)[0];
    });
  }
}

TEST(ManualRegions, InsideRematInsideAScan) {
  expect_same([](Value x, Value w, const Layer& layer) {
    auto rematerialized = [&](Value value, Value weight) {
      auto body = [&](Args a) { return Values{layer(a[0], a[1])}; };
      return remat(Values{value, weight}, body)[0];
    };
    return scanned(x, w, rematerialized);
  });
}

// Loops, branches and remat inside a region.
TEST(ManualRegions, AroundAScanOfBranchesAndRemat) {
  std::vector<Input> inputs = {{random_array({8, 16}, 1), {}}, {random_array({3, 16, 16}, 2), {}}};
  auto layers = [](Value x, Value w, const std::function<Value(Value)>& sum) {
    auto step = [&](Args carry, Args xs) {
      auto product = [&](Args a) {
        return Values{tanh(einsum("batch in, in out -> batch out", a[0], a[1]))};
      };
      Value next = remat(Values{carry[0], xs[0]}, product)[0];
      Value large = sum(next * next) < 1e9;
      next = cond(
          large, [](Args a) { return Values{sin(a[0])}; }, [](Args a) { return Values{a[0]}; },
          Values{next})[0];
      return ScanStep{{next}, {}};
    };
    return scan(Values{x}, Values{w}, step).carry[0];
  };
  auto gradients = [](const autodiff::Function& loss, Args args) {
    autodiff::ValueAndGrad both = autodiff::value_and_grad(loss, args);
    return Values{both.value, both.gradients[0], both.gradients[1]};
  };
  auto whole = [&](Args a) {
    return global_mean(layers(a[0], a[1], [](Value x) { return global_sum(x); }));
  };
  auto parts = [&](Args a) {
    auto body = [&](Args p) {
      Value out = layers(p[0], p[1], [](Value x) { return global_sum(x); });
      return Values{global_mean(out)};
    };
    return manual({{a[0], "batch/d/t in"}, {a[1], "layers in out"}}, {""}, body)[0];
  };
  Outcome one = run_on({}, inputs, [&](Args args) { return gradients(whole, args); });
  Outcome many = run_on(kMesh, inputs, [&](Args args) { return gradients(parts, args); });
  expect_all_near(many.results, one.results, 1e-5);
}

}  // namespace
}  // namespace meshwright::spmd
