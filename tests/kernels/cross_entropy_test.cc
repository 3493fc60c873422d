// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/cross_entropy.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using mesh::Mesh;
using runtime::count_ops;
using spmd::Input;
using spmd::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

struct Case {
  std::int64_t batch, len, embed, vocab;
  bool vocab_first = false;
  CrossEntropyOptions options = {};
  DType dtype = f32;
  double size_of_logits = 1;
};

/// Some labels are outside of the classes.
HostTensor labels_of(const Case& c) {
  HostTensor labels({s32, {c.batch, c.len}});
  auto* values = reinterpret_cast<std::int32_t*>(labels.mutable_data());
  for (std::int64_t i = 0; i < c.batch * c.len; ++i)
    values[i] = static_cast<std::int32_t>(i % 7 == 3 ? -1 : i * 37 % c.vocab);
  return labels;
}

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  Dims table = c.vocab_first ? Dims{c.vocab, c.embed} : Dims{c.embed, c.vocab};
  return {{spmd::random_array({c.batch, c.len, c.embed}, 1), lies},
          {spmd::random_array(table, 2), {}},
          {labels_of(c), lies},
          {spmd::random_array({c.batch, c.len}, 3), lies}};
}

using Loss = CrossEntropy (*)(const Projection&, Value labels, Value weights, const Case&);

CrossEntropy by_kernel(const Projection& p, Value labels, Value weights, const Case& c) {
  return cross_entropy(p, labels, weights, c.options);
}

CrossEntropy by_formula(const Projection& p, Value labels, Value weights, const Case& c) {
  Value all = logits(p);
  Value losses = cross_entropies(all, labels, c.options);
  return {graph::reduce_sum(losses * weights, {0, 1}), graph::argmax(all, -1, s32)};
}

/// Returns the loss, the predictions, and the gradients of 3 * loss with respect to x, the table
/// and the weights.
std::vector<Value> results(Loss loss, const Case& c, std::span<const Value> in) {
  auto run = [&](Value x, Value table, Value weights) {
    Value given = graph::cast(x * c.size_of_logits, c.dtype);
    return loss({given, table, c.vocab_first}, in[2], weights, c);
  };
  CrossEntropy out = run(in[0], in[1], in[3]);
  std::vector<Value> all = {out.loss, graph::cast(out.predicted, f32)};
  std::vector<Value> wrt = {in[0], in[1], in[3]};
  auto tripled = [&](std::span<const Value> args) {
    return run(args[0], args[1], args[2]).loss * 3.0;
  };
  for (Value gradient : autodiff::grad(tripled, wrt))
    all.push_back(gradient);
  return all;
}

void expect_as_formula(const Case& c, double tolerance) {
  Outcome ours = run_with(by_kernel, c), formula = run_with(by_formula, c);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 2);
  spmd::expect_all_near(ours.results, formula.results, tolerance);
}

TEST(CrossEntropy, IsItsFormulaInAnySize) {
  for (bool vocab_first : {false, true}) {
    expect_as_formula({2, 9, 16, 32, vocab_first}, 1e-5);
    expect_as_formula({3, 5, 7, 300, vocab_first}, 1e-5);
    expect_as_formula({1, 1, 1, 1, vocab_first}, 1e-5);
    expect_as_formula({1, 1, 24, 517, vocab_first}, 1e-5);
    expect_as_formula({2, 33, 40, 2100, vocab_first}, 1e-5);
    expect_as_formula({3, 300, 24, 3001, vocab_first}, 2e-5);  // rows in two parts
  }
}

TEST(CrossEntropy, SmoothsLabelsAndAddsZLoss) {
  for (bool vocab_first : {false, true}) {
    Case c{3, 20, 12, 700, vocab_first};
    c.options = {.label_smoothing = 0.1};
    expect_as_formula(c, 1e-5);
    c.options = {.label_smoothing = 0.2, .z_loss = 0.01};
    expect_as_formula(c, 1e-5);
  }
}

TEST(CrossEntropy, StandsLargeLogits) {
  Case c{2, 20, 16, 300};
  c.size_of_logits = 1e4;
  expect_as_formula(c, 1e-4);
}

TEST(CrossEntropy, TakesBf16) {
  for (bool vocab_first : {false, true}) {
    Case c{2, 40, 32, 600, vocab_first, {.label_smoothing = 0.1, .z_loss = 0.01}, bf16};
    Case exact = c;
    exact.dtype = f32;
    const auto [ours, formula] = run_in_bf16_and_f32(by_kernel, by_formula, c, exact);
    EXPECT_EQ(count_ops(ours.program, "custom-call"), 2);
    spmd::expect_near_the_largest(ours.results, formula.results, 0.01);
  }
}

TEST(CrossEntropy, MayStoreLogitsInBf16) {
  Case c{3, 33, 24, 300};
  Outcome exact = run_with(by_formula, c);
  c.options.stored = bf16;
  c.dtype = bf16;
  Outcome stored = run_with(by_kernel, c, {}, {}, {.wants_kernels = false});
  for (Outcome* each : {&exact, &stored})  // predictions may differ
    each->results.erase(each->results.begin() + 1);
  spmd::expect_near_the_largest(stored.results, exact.results, 0.02);
}

const graph::ProgramTarget kPlainXla{.wants_kernels = false};

TEST(CrossEntropy, MayGoThroughTheVocabularyInParts) {
  for (bool vocab_first : {false, true}) {
    for (std::int64_t parts : {2, 7, 1000}) {  // the last part overlaps the one before
      Case c{3, 5, 7, 300, vocab_first};
      const Outcome formula = run_with(by_formula, c);
      c.options.vocab_parts = parts;
      const Outcome ours = run_with(by_kernel, c, {}, {}, kPlainXla);
      spmd::expect_all_near(ours.results, formula.results, 1e-5);
    }
    Case c{2, 9, 16, 301, vocab_first};
    c.options = {.label_smoothing = 0.2, .z_loss = 0.01, .vocab_parts = 4};
    c.size_of_logits = 30;
    const Outcome ours = run_with(by_kernel, c, {}, {}, kPlainXla);
    spmd::expect_all_near(ours.results, run_with(by_formula, c).results, 1e-4);
  }
}

TEST(CrossEntropy, InPartsMayStoreLogitsInBf16) {
  Case c{3, 33, 24, 300};
  Outcome exact = run_with(by_formula, c);
  c.options = {.stored = bf16, .vocab_parts = 4};
  c.dtype = bf16;
  Outcome stored = run_with(by_kernel, c, {}, {}, kPlainXla);
  for (Outcome* each : {&exact, &stored})  // predictions may differ
    each->results.erase(each->results.begin() + 1);
  spmd::expect_near_the_largest(stored.results, exact.results, 0.02);
}

std::string text_on_cuda(const Case& c, const Mesh& mesh, const mesh::AxisRules& rules) {
  const auto body = [&](std::span<const Value> in) {
    const auto loss = [&](std::span<const Value> of) {
      return by_kernel({of[0], of[1]}, in[2], in[3], c).loss;
    };
    auto [value, aux, gradients] = autodiff::value_and_grad(loss, in.first(2));
    return std::vector{value, gradients[0], gradients[1]};
  };
  const graph::Program program =
      spmd::trace_on(mesh, inputs_of(c), body, rules, {.platform = "cuda"});
  return write_stablehlo(place_kernels(program, "cuda"));
}

TEST(CrossEntropy, InPartsNeverStoresAllLogits) {
  Case c{3, 5, 7, 300};
  EXPECT_THAT(text_on_cuda(c, {}, {}), HasSubstr("3x5x300xf32"));
  c.options.vocab_parts = 4;
  EXPECT_THAT(text_on_cuda(c, {}, {}), Not(HasSubstr("3x5x300xf32")));
}

// Devices have parts of the vocabulary already.
TEST(CrossEntropy, IsNotInPartsIfTheVocabularyIsSharded) {
  Case c{4, 5, 8, 304};
  const Mesh mesh({{"model", 4}});
  const std::string whole = text_on_cuda(c, mesh, {{"vocab", {"model"}}});
  c.options.vocab_parts = 4;
  EXPECT_EQ(text_on_cuda(c, mesh, {{"vocab", {"model"}}}), whole);
  EXPECT_NE(text_on_cuda(c, mesh, {}), whole);
}

// XLA merges equal products only on one device.
TEST(CrossEntropy, MultipliesByTheTableOnceInEachDirection) {
  EXPECT_EQ(count(text_on_cuda({3, 5, 7, 300}, {}, {}), "stablehlo.dot_general"), 3);
}

TEST(CrossEntropy, SaysWhatIsNotANumber) {
  Case c{1, 4, 8, 300};
  c.size_of_logits = std::numeric_limits<double>::infinity();
  Outcome ours = run_with(by_kernel, c);
  EXPECT_TRUE(std::isnan(ours.results[0].to_doubles()[0]));
  EXPECT_TRUE(std::isnan(ours.results[3].to_doubles()[0]));
}

TEST(CrossEntropy, GivesTheSameBitsEachTime) {
  Case c{2, 150, 24, 1500};
  expect_same_bits_each_time(by_kernel, c);
}

/// Returns the gradient of the loss with respect to a single input.
std::vector<Value> gradient_by(std::size_t wrt,
                               Loss loss,
                               const Case& c,
                               std::span<const Value> in) {
  auto of = [&](std::span<const Value> args) {
    std::vector<Value> all(in.begin(), in.end());
    all[wrt] = args[0];
    return loss({graph::cast(all[0], c.dtype), all[1], c.vocab_first}, all[2], all[3], c).loss;
  };
  return autodiff::grad(of, std::vector{in[wrt]});
}

/// Returns the shapes of the gradients that calls of the kernel in the program compute.
std::vector<Dims> gradients_of_calls(const graph::Program& program) {
  std::vector<Dims> out;
  for (const graph::Node* node : program.main->nodes) {
    if (node->op != &kCrossEntropyGradient) continue;
    for (int i = 2; i < node->num_results(); ++i)
      out.push_back(node->out(i).dims);
  }
  return out;
}

void expect_only_gradient_by(std::size_t wrt, const Case& c) {
  auto body = [&](Loss loss) {
    return [&, loss](std::span<const Value> in) { return gradient_by(wrt, loss, c, in); };
  };
  spmd::expect_all_near(spmd::run_on({}, inputs_of(c), body(by_kernel)).results,
                        spmd::run_on({}, inputs_of(c), body(by_formula)).results, 1e-5);
  std::vector<Dims> wanted;
  if (wrt < 2) wanted.push_back(inputs_of(c)[wrt].value.dims());
  EXPECT_EQ(gradients_of_calls(spmd::trace_on({}, inputs_of(c), body(by_kernel))), wanted) << wrt;
}

TEST(CrossEntropy, HasOnlyGradientsThatAreWanted) {
  for (bool vocab_first : {false, true}) {
    const Case c{2, 40, 24, 600, vocab_first};
    for (std::size_t wrt : {0u, 1u, 3u})
      expect_only_gradient_by(wrt, c);
  }
}

TEST(CrossEntropy, RunsOnPartsOfTheBatch) {
  Case c{8, 6, 16, 300};
  const Mesh mesh({{"data", 4}, {"model", 2}});
  mesh::AxisRules rules({{"batch", {"data"}}});
  Outcome parts = run_with(by_kernel, c, mesh, rules);
  Outcome plain = run_with(by_formula, c, mesh, rules);
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 2);
  EXPECT_LE(count_ops(parts.program, "all-gather"), count_ops(plain.program, "all-gather"));
}

TEST(CrossEntropy, IsItsFormulaWhereWordsAreSplit) {
  Case c{8, 6, 16, 320};
  const Mesh mesh({{"data", 4}, {"model", 2}});
  mesh::AxisRules rules({{"batch", {"data"}}, {"vocab", {"model"}}});
  Outcome parts = run_with(by_kernel, c, mesh, rules);
  Outcome plain = run_with(by_formula, c, mesh, rules);
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 0);
  EXPECT_LE(count_ops(parts.program, "all-gather"), count_ops(plain.program, "all-gather"));
}

TEST(CrossEntropy, HasSecondDerivatives) {
  Case c{1, 5, 6, 20};
  auto second = [&](Loss loss) {
    return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
      auto size = [&](std::span<const Value> args) {
        std::vector<Value> all = {args[0], args[1], in[2], in[3]};
        return graph::reduce_sum(graph::square(results(loss, c, all)[2]), {0, 1, 2});
      };
      return autodiff::grad(size, in.first(2));
    });
  };
  spmd::expect_all_near(second(by_kernel).results, second(by_formula).results, 1e-5);
}

TEST(CrossEntropy, RefusesWhatDoesNotFit) {
  auto with = [](const Case& c, const Case& wrong) {
    auto inputs = inputs_of(c);
    inputs.push_back({labels_of(wrong), {}});
    return message_of([&] {
      spmd::trace_on({}, inputs, [&](std::span<const Value> in) {
        return std::vector{cross_entropy({in[0], in[1], wrong.vocab_first}, in[4], in[3]).loss};
      });
    });
  };
  EXPECT_THAT(with({2, 3, 4, 5}, {2, 2, 4, 5}),
              HasSubstr("cross_entropy: labels and weights must be s32[2,3] and f32[2,3]"));
  EXPECT_THAT(with({2, 3, 4, 5}, {2, 3, 4, 5, true}),
              HasSubstr("cross_entropy: the table must be f32, [vocab, embed] with embed 4"));
}

}  // namespace
}  // namespace meshwright::kernels
