// SPDX-License-Identifier: Apache-2.0
// Gradients through manual regions. Collectives are linear, so each must agree with its adjoint,
// and a loss with explicit collectives must have the gradients of the same loss on one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/global.h"
#include "spmd_testutil.h"

namespace meshwright::spmd {
namespace {

using namespace graph;  // NOLINT(google-build-using-namespace)
using mesh::Mesh;

// Meshes with these axes in other sizes and orders, on one device, and with an axis that shards
// nothing.
std::vector<Mesh> meshes() {
  return {kMesh,
          Mesh({{"t", 4}, {"d", 2}}),
          Mesh({{"d", 4}, {"t", 2}}),
          Mesh({{"d", 1}, {"t", 8}}),
          Mesh({{"t", 1}, {"d", 8}}),
          Mesh({{"t", 2}, {"rest", 2}, {"d", 2}})};
}

double dot(const HostTensor& a, const HostTensor& b) {
  std::vector<double> x = a.to_doubles(), y = b.to_doubles();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

// For linear f: <f(x), c> = <x, f'(c)>.
void expect_adjoint(mesh::ShardSpec in,
                    mesh::ShardSpec out,
                    std::int64_t out_size,
                    const std::function<Value(Value)>& f,
                    const ManualOptions& options = {},
                    const Mesh& mesh = kMesh) {
  HostTensor x = random_array({16}, 1), c = random_array({out_size}, 2);
  auto apply = [&](Value value) {
    auto body = [&](std::span<const Value> parts) { return std::vector<Value>{f(parts[0])}; };
    return manual({{value, in}}, {out}, body, options)[0];
  };
  auto program = [&](std::span<const Value> args) {
    auto loss = [&](Value value) { return reduce_sum(apply(value) * args[1], {0}); };
    return std::vector<Value>{apply(args[0]), autodiff::grad(loss, args[0])};
  };
  Outcome outcome = run_on(mesh, {{x, {}}, {c, {}}}, program);
  EXPECT_NEAR(dot(outcome.results[0], c), dot(outcome.results[1], x), 1e-4)
      << in.text() << " -> " << out.text() << " on " << to_string(mesh);
}

TEST(CollectiveGradients, AreAdjoints) {
  expect_adjoint("x/d/t", "y/d", 4, [](Value x) { return all_reduce(x, {"t"}); });
  expect_adjoint("x/d/t", "y", 2, [](Value x) { return all_reduce(x, {"d", "t"}); });
  expect_adjoint("x/d/t", "y/d/t", 64, [](Value x) { return all_gather(x, 0, {"t"}); });
  expect_adjoint("x/t/d", "y/t/d", 32, [](Value x) { return all_gather(x, 0, {"d"}); });
  expect_adjoint("x/d/t", "y/d", 16, [](Value x) { return all_gather_replicated(x, 0, {"t"}); });
  expect_adjoint("x/t/d", "y", 16, [](Value x) { return all_gather_replicated(x, 0, {"t", "d"}); });
  expect_adjoint("x/d", "y/d", 8, [](Value x) { return reduce_scatter(x, 0, {"d"}); });
  expect_adjoint("x/t", "y/t", 16, [](Value x) {
    return reshape(all_to_all(reshape(x, {1, 4}), 1, 0, {"t"}), {4});
  });
  expect_adjoint("x/t", "y/t", 16, [](Value x) { return permute(x, {"t"}, {{0, 2}, {3, 0}}); });
  expect_adjoint("x/d/t", "y/d/t", 16, [](Value x) { return ring_shift(x, {"t", "d"}, 3); });
}

TEST(CollectiveGradients, AreAdjointsWhereOtherMeshAxesAreAutomatic) {
  expect_adjoint("x/t", "y", 4, [](Value x) { return all_reduce(x, {"t"}); }, {.axes = {"t"}});
  expect_adjoint("x/t", "y", 16, [](Value x) { return all_gather_replicated(x, 0, {"t"}); },
                 {.axes = {"t"}});
}

TEST(CollectiveGradients, AreAdjointsInAnyOrderOfThreeAxes) {
  for (const Mesh& mesh :
       {Mesh({{"a", 2}, {"b", 2}, {"c", 2}}), Mesh({{"c", 2}, {"a", 1}, {"b", 4}})}) {
    auto check = [&](mesh::ShardSpec in, mesh::ShardSpec out, std::int64_t out_size,
                     const std::function<Value(Value)>& f) {
      expect_adjoint(in, out, out_size, f, {}, mesh);
    };
    auto parts = [&](std::string_view axis) { return mesh.axis_size(axis); };
    check("x/c/a/b", "y/a", 16 / (parts("b") * parts("c")), [](Value x) {
      return all_reduce(x, {"c", "b"});
    });
    check("x/c/a/b", "y/a", 16, [](Value x) { return all_gather_replicated(x, 0, {"c", "b"}); });
    // The adjoint is a reduce_scatter.
    check("x/a/b/c", "y/a/b/c", 16 * parts("b") * parts("c"), [](Value x) {
      return all_gather(x, 0, {"c", "b"});
    });
    check("x/b/c", "y/b/c", 16, [](Value x) { return ring_shift(x, {"c", "b"}, 3); });
    check("x/b/a", "y/b/a/c", 16 * parts("c"), [](Value x) {
      return reshape(all_to_all(reshape(x, {2, x.dim(0) / 2}), 0, 1, {"c"}), {x.dim(0)});
    });
  }
}

TEST(CollectiveGradients, OfEqualValuesAreSummedOnce) {
  // Every device adds the same array: its gradient is the sum over the devices that used it.
  expect_adjoint("x", "y/d/t", 128, [](Value x) { return x * 2; });
  expect_adjoint("x/d", "y/t/d", 64, [](Value x) { return x + 0; });
}

// A two-layer network whose loss is a mean over the batch, with an unused argument.
struct Mlp {
  HostTensor x = random_array({8, 16}, 1), w1 = random_array({16, 32}, 2),
             w2 = random_array({32, 4}, 3), bias = random_array({4}, 4),
             unused = random_array({8}, 5);

  static Value loss(Value x, Value w1, Value w2, Value bias) {
    Value hidden = tanh(einsum("batch in, in hidden -> batch hidden", x, w1));
    Value out = einsum("batch hidden, hidden out -> batch out", hidden, w2) + bias;
    return global_mean(out * out);
  }

  std::vector<Input> inputs() const {
    return {
        {x, {{{"d"}}}}, {w1, {{{"d"}, {"t"}}}}, {w2, {{{"t"}}}}, {bias, {}}, {unused, {{{"t"}}}}};
  }
};

std::vector<Value> with_gradients(const autodiff::Function& loss, std::span<const Value> args) {
  autodiff::ValueAndGrad both = autodiff::value_and_grad(loss, args);
  std::vector<Value> out = {both.value};
  out.insert(out.end(), both.gradients.begin(), both.gradients.end());
  return out;
}

std::vector<Value> mlp_whole(std::span<const Value> args) {
  return with_gradients([](std::span<const Value> a) { return Mlp::loss(a[0], a[1], a[2], a[3]); },
                        args);
}

// Data parallel over d with weights gathered for use, tensor parallel over t.
Value mlp_by_hand(std::span<const Value> a) {
  auto body = [](std::span<const Value> p) {
    Value w1 = all_gather(p[1], 0, {"d"});
    Value hidden = tanh(einsum("batch in, in hidden -> batch hidden", p[0], w1));
    Value part = einsum("batch hidden, hidden out -> batch out", hidden, p[2]);
    Value out = all_reduce(part, {"t"}) + p[3];
    return std::vector<Value>{global_mean(out * out)};
  };
  return manual({{a[0], "batch/d in"},
                 {a[1], "in/d hidden/t"},
                 {a[2], "hidden/t out"},
                 {a[3], "out"},
                 {a[4], "rest/t"}},
                {""}, body)[0];
}

TEST(ManualGradients, AreThoseOfOneDeviceAndOfAutomaticPartitioning) {
  Mlp mlp;
  Outcome one = run_on({}, mlp.inputs(), mlp_whole);
  for (const Mesh& mesh : meshes()) {
    SCOPED_TRACE(to_string(mesh));
    Outcome automatic = run_on(mesh, mlp.inputs(), mlp_whole);
    Outcome manual_loss = run_on(mesh, mlp.inputs(), [](std::span<const Value> args) {
      return with_gradients(mlp_by_hand, args);
    });
    expect_all_near(automatic.results, one.results, 1e-5);
    expect_all_near(manual_loss.results, one.results, 1e-5);
  }
  EXPECT_EQ(one.results[5].to_doubles(), std::vector<double>(8, 0.0));
}

// As in seqax: the gradient is taken inside the region, of the sum over this device's examples.
TEST(ManualGradients, MayBeTakenInsideTheRegion) {
  Mlp mlp;
  auto inside = [](std::span<const Value> a) {
    auto body = [](std::span<const Value> p) {
      auto loss = [&](std::span<const Value> w) {
        Value w1 = all_gather(w[0], 0, {"d"});
        Value hidden = tanh(einsum("batch in, in hidden -> batch hidden", p[0], w1));
        Value part = einsum("batch hidden, hidden out -> batch out", hidden, w[1]);
        Value out = all_reduce(part, {"t"}) + w[2];
        return global_sum(out * out) / 32.0;
      };
      return with_gradients(loss, p.subspan(1));
    };
    return manual(
        {{a[0], "batch/d in"}, {a[1], "in/d hidden/t"}, {a[2], "hidden/t out"}, {a[3], "out"}},
        {"", "in/d hidden/t", "hidden/t out", "out"}, body);
  };
  Outcome one = run_on({}, mlp.inputs(), mlp_whole);
  for (const Mesh& mesh : meshes()) {
    SCOPED_TRACE(to_string(mesh));
    Outcome outcome = run_on(mesh, mlp.inputs(), inside);
    expect_all_near(outcome.results,
                    {one.results[0], one.results[2], one.results[3], one.results[4]}, 1e-5);
  }
}

TEST(ManualGradients, CanBeDifferentiatedAgain) {
  Mlp mlp;
  auto second = [](const autodiff::Function& loss) {
    return [loss](std::span<const Value> args) {
      auto norm = [&](std::span<const Value> a) {
        std::vector<Value> gradients = autodiff::grad(loss, a);
        return global_sum(gradients[1] * gradients[1]) + global_sum(gradients[2] * gradients[2]);
      };
      return with_gradients(norm, args);
    };
  };
  auto whole = [](std::span<const Value> a) { return Mlp::loss(a[0], a[1], a[2], a[3]); };
  Outcome one = run_on({}, mlp.inputs(), second(whole));
  Outcome manual_loss = run_on(kMesh, mlp.inputs(), second(mlp_by_hand));
  expect_all_near(manual_loss.results, one.results, 1e-4);
}

TEST(ManualGradients, ScalarsThatVaryAreKept) {
  auto by_hand = [](std::span<const Value> args) {
    auto loss = [](Value x) {
      auto body = [](std::span<const Value> p) {
        Value scale = exp(reduce_sum(p[0], {0}));  // one number per device
        return std::vector<Value>{global_sum(sin(p[0] * scale))};
      };
      return manual({{x, "x/d"}}, {""}, body)[0];
    };
    return with_gradients(loss, args);
  };
  auto whole = [](std::span<const Value> args) {
    auto loss = [](Value x) {
      Value rows = reshape(x, {2, 4});
      Value scale = exp(reduce_sum(rows, {1}));
      return reduce_sum(sin(rows * reshape(scale, {2, 1})), {0, 1});
    };
    return with_gradients(loss, args);
  };
  std::vector<Input> inputs = {{random_array({8}, 9), {}}};
  expect_all_near(run_on(kMesh, inputs, by_hand).results, run_on({}, inputs, whole).results, 1e-5);
}

}  // namespace
}  // namespace meshwright::spmd
