// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/estimate/memory.h"
#include "meshwright/estimate/splits.h"
#include "meshwright/estimate/step_time.h"
#include "meshwright/estimate/traffic.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::estimate {
namespace {

using graph::Value;
using mesh::Sharding;
using testing::ElementsAre;

// Axes d (2 devices) and t (4 devices).
class Estimate : public testing::Test {
 protected:
  Value arg(Dims dims, Sharding sharding = {}, std::optional<int> donated_to = {}) {
    return tracer.argument({f32, std::move(dims)},
                           {.sharding = std::move(sharding), .donated_to = donated_to});
  }
  // The axes of each dimension: "d -".
  static std::string text(const Splits& splits, Value value) {
    std::vector<std::string> out;
    for (const mesh::AxisSet axes : splits.of(value)) {
      std::string names;
      for (const int axis : mesh::positions(axes))
        names += splits.mesh().axes()[static_cast<std::size_t>(axis)].name;
      out.push_back(names.empty() ? "-" : names);
    }
    return join(out, " ");
  }
  // One line per kind of collective: "all-reduce t 2 calls 96 bytes".
  static std::vector<std::string> lines(const graph::Program& program) {
    std::vector<std::string> out;
    for (const Traffic& each : traffic_of(program, Splits(program))) {
      std::string axes;
      for (const int axis : mesh::positions(each.axes))
        axes += program.mesh.axes()[static_cast<std::size_t>(axis)].name;
      out.push_back(str(name(each.kind), " ", axes, " ", each.num_calls, " calls ",
                        each.received_bytes, " bytes"));
    }
    return out;
  }
  static Memory memory(const graph::Program& program) {
    return memory_of(program, Splits(program));
  }

  graph::Tracer tracer{{.mesh = mesh::Mesh({{"d", 2}, {"t", 4}})}};
};

TEST_F(Estimate, SplitsSpreadThroughOps) {
  Value x = arg({8, 16}, {{{"d"}, {"t"}}});
  Value cast = graph::cast(x, bf16), turned = graph::swap_dims(x, 0, 1);
  Value parts = graph::reshape(x, {2, 4, 8, 2}), sums = graph::reduce_sum(x, {1});
  Value wide = graph::broadcast_in_dim(sums, {3, 8}, {1});
  Value product = graph::einsum("a b, c b -> a c", x, arg({32, 16}, {{{"t"}}}));
  const graph::Program program = tracer.finish({cast, turned, parts, wide, product});
  const Splits splits(program);
  EXPECT_EQ(text(splits, cast), "d t");
  EXPECT_EQ(text(splits, turned), "t d");
  EXPECT_EQ(text(splits, parts), "d - t -");
  EXPECT_EQ(text(splits, sums), "d");
  EXPECT_EQ(text(splits, wide), "- d");
  EXPECT_EQ(text(splits, product), "d t");
  EXPECT_EQ(splits.bytes(x), 8 * 16 * 4 / 8);
}

TEST_F(Estimate, AnAxisSplitsAnArrayOnce) {
  Value x = arg({64, 16}, {{{"d"}}}), w = arg({16, 32}, {{{"d"}}});
  Value y = graph::einsum("a b, b c -> a c", x, w);
  const graph::Program program = tracer.finish({y, x + arg({16}, {{{"d"}}})});
  const Splits splits(program);
  EXPECT_EQ(text(splits, y), "d -");
  EXPECT_EQ(text(splits, program.main->results[1]), "d -");
}

TEST_F(Estimate, SplitsOfResultsReachSumsInLoops) {
  Value xs = arg({5, 8, 16}, {{{}, {"d"}}});
  const Value zero = graph::constant(0, f32, {16, 16});
  const graph::ScanResult sums =
      graph::scan(std::vector{zero}, std::vector{xs},
                  [](std::span<const Value> carry, std::span<const Value> x) {
                    Value square = graph::einsum("n a, n b -> a b", x[0], x[0]);
                    return graph::ScanStep{{carry[0] + square}, {graph::exp(x[0])}};
                  });
  const graph::Program program =
      tracer.finish({sums.carry[0], sums.ys[0]}, {{.sharding = Sharding{{{"t"}}}}, {}});
  const Splits splits(program);
  EXPECT_EQ(text(splits, sums.carry[0]), "t -");
  EXPECT_EQ(text(splits, sums.ys[0]), "- d -");
  const graph::Region& body = *sums.carry[0].node()->regions[0];
  EXPECT_EQ(text(splits, body.results[0]), "t -");
  EXPECT_EQ(text(splits, body.arg(1)), "d -");
  // Each of the five steps adds the parts of both devices along d.
  EXPECT_THAT(lines(program), ElementsAre("all-reduce d 5 calls 1280 bytes"));
}

// Weights split by columns, then by rows: one sum per pair of products.
TEST_F(Estimate, SumsOfATensorParallelLayerAreReduced) {
  Value x = arg({8, 16}, {{{"d"}}});
  Value in = arg({16, 64}, {{{}, {"t"}}}), out = arg({64, 16}, {{{"t"}}});
  Value hidden = graph::tanh(graph::einsum("a b, b c -> a c", x, in));
  Value y = graph::einsum("a c, c b -> a b", hidden, out);
  const graph::Program program = tracer.finish({graph::constrain(y, Sharding{{{"d"}}})});
  // A device receives twice 3/4 of its [4, 16].
  EXPECT_THAT(lines(program), ElementsAre("all-reduce t 1 calls 384 bytes"));
}

// Parts of two products are added before they are sent.
TEST_F(Estimate, SumsOfSeveralProductsAreReducedOnce) {
  Value x = arg({8, 64}, {{{}, {"t"}}}), y = arg({8, 64}, {{{}, {"t"}}});
  Value in = arg({64, 16}, {{{"t"}}});
  Value sum = graph::einsum("a b, b c -> a c", x, in) + graph::einsum("a b, b c -> a c", y, in);
  EXPECT_THAT(lines(tracer.finish({sum})), ElementsAre("all-reduce t 1 calls 768 bytes"));
}

TEST_F(Estimate, ShardedWeightsAreGatheredAndTheirGradientsScattered) {
  Value x = arg({8, 16}, {{{"d"}}}), w = arg({16, 32}, {{{"d"}}});
  const auto loss = [&](std::span<const Value> v) {
    return graph::reduce_sum(graph::tanh(graph::einsum("a b, b c -> a c", x, v[0])), {0, 1});
  };
  const std::vector<Value> gradient = autodiff::grad(loss, std::vector{w});
  const graph::Program program =
      tracer.finish({w - gradient[0]}, {{.sharding = Sharding{{{"d"}}}}});
  EXPECT_THAT(lines(program), ElementsAre("all-gather d 1 calls 1024 bytes",
                                          "reduce-scatter d 1 calls 1024 bytes"));
}

TEST_F(Estimate, ATableIsLookedUpInParts) {
  Value table = arg({100, 16}, {{{"t"}, {"d"}}});
  Value ids = tracer.argument({s32, {8}}, {.sharding = Sharding{{{"d"}}}});
  Value rows = graph::take(table, ids, 0, {.mode = graph::OutOfBounds::promise});
  const graph::Program program = tracer.finish({rows});
  EXPECT_EQ(text(Splits(program), rows), "d -");
}

TEST_F(Estimate, FusedOpsTakeNoMemory) {
  Value x = arg({1024, 1024});
  const Memory found = memory(tracer.finish({graph::reduce_sum(graph::exp(x * 2) + x, {0, 1})}));
  EXPECT_EQ(found.argument_bytes, 1 << 22);
  EXPECT_EQ(found.temp_bytes, 4);
}

TEST_F(Estimate, ProductsAreInMemoryUntilTheirLastUse) {
  Value x = arg({256, 256}), y = x;
  for (int i = 0; i < 5; ++i)
    y = graph::einsum("a b, b c -> a c", y, x);
  EXPECT_EQ(memory(tracer.finish({y})).temp_bytes, 2 << 18);
}

// Statistics of an array that is overwritten are computed first, wherever the program has them.
TEST_F(Estimate, ReductionsRunBeforeTheirOperandIsOverwritten) {
  Value x = arg({256, 256});
  Value logits = graph::einsum("a b, b c -> a c", x, x);
  Value next = graph::einsum("a b, b c -> a c", graph::exp(logits), x);
  EXPECT_EQ(memory(tracer.finish({next, graph::reduce_sum(logits * 2, {0, 1})})).temp_bytes,
            (2 << 18) + 4);
}

TEST_F(Estimate, DonatedArgumentsAreOverwritten) {
  Value w = arg({256, 256}, {}, 0);
  EXPECT_EQ(memory(tracer.finish({w * 0.5})).temp_bytes, 0);
  graph::Tracer other;
  Value kept = other.argument({f32, {256, 256}});
  EXPECT_EQ(memory(other.finish({kept * 0.5})).temp_bytes, 1 << 18);
}

TEST_F(Estimate, ResultsAreWrittenOverProducts) {
  Value w = arg({256, 256});
  Value next = w - graph::einsum("a b, b c -> a c", w, w) * 0.5;
  EXPECT_EQ(memory(tracer.finish({next})).temp_bytes, 1 << 18);
}

TEST_F(Estimate, ArraysOnTheHostTakeNoMemory) {
  const graph::Program program = graph::trace({{f32, {64, 64}}}, [](std::span<const Value> in) {
    const Value product = graph::dot_general(in[0], in[0], {{}, {}, {1}, {0}});
    const Value waits = graph::to_host(product);
    const Value other = graph::dot_general(in[0], graph::exp(in[0]), {{}, {}, {1}, {0}});
    return std::vector{graph::reduce_sum(other + graph::to_device(waits), {0, 1})};
  });
  EXPECT_EQ(memory_of(program, Splits(program)).temp_bytes, 2 * 64 * 64 * 4 + 4);
  graph::Program on_host = program;
  on_host.arguments[0].is_on_host = true;
  EXPECT_EQ(memory_of(on_host, Splits(on_host)).argument_bytes, 0);
}

TEST_F(Estimate, LoopsKeepWhatTheyStack) {
  Value x = arg({256, 256});
  const graph::ScanResult loop =
      graph::scan(std::vector{x}, {},
                  [](std::span<const Value> carry, std::span<const Value>) {
                    Value next = graph::einsum("a b, b c -> a c", carry[0], carry[0]);
                    return graph::ScanStep{{next}, {next}};
                  },
                  {.length = 10});
  const Memory found = memory(tracer.finish({graph::reduce_sum(loop.ys[0], {0, 1, 2})}));
  // Ten products, the carry, and the product of a step.
  EXPECT_EQ(found.temp_bytes, 12 << 18);
  ASSERT_FALSE(found.at_peak.empty());
  EXPECT_EQ(found.at_peak[0].type.dims, (Dims{10, 256, 256}));
  EXPECT_TRUE(found.at_peak[0].is_of_loop);
}

TEST(StepTime, CollectivesHideBehindProducts) {
  const Machine machine = {.flops = 1e12,
                           .memory_bytes_per_second = 1e9,
                           .near_bytes_per_second = 1e9,
                           .far_bytes_per_second = 1e8,
                           .num_near = 4};
  const mesh::Mesh mesh({{"d", 2}, {"t", 4}});
  const Traffic near = {Collective::all_reduce, mesh::AxisSet::of(1), 1, 0.7e9};
  const Traffic far = {Collective::all_gather, mesh::AxisSet::of(0), 1, 0.7e9};
  const StepTime hidden = step_time(machine, mesh, 1.4e12, 0.8e9, {near});
  EXPECT_DOUBLE_EQ(hidden.products, 2);
  EXPECT_DOUBLE_EQ(hidden.memory, 1);
  EXPECT_DOUBLE_EQ(hidden.links, 1);
  EXPECT_DOUBLE_EQ(hidden.total(), 3);
  EXPECT_DOUBLE_EQ(step_time(machine, mesh, 1.4e12, 0.8e9, {near, far}).total(), 12);
}

}  // namespace
}  // namespace meshwright::estimate
