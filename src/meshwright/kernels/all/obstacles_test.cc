// SPDX-License-Identifier: Apache-2.0
// Calls that are traced as formulas, with the reasons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/all/kernels.h"

namespace meshwright::kernels {
namespace {

using graph::CpuFeatures;
using graph::TraceOptions;
using graph::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Body = std::function<Value(std::span<const Value> args)>;

std::vector<std::string> formulas(const std::vector<ArrayType>& args,
                                  const Body& body,
                                  const TraceOptions& options = {}) {
  return describe(graph::trace(
                      args, [&](auto in) { return std::vector{body(in)}; }, options)
                      .kernel_choices);
}

std::vector<std::string> attention_of(DType dtype, std::int64_t len, const Dims& bias = {}) {
  std::vector<ArrayType> args = {{dtype, {2, len, 2, 1, 4}}, {dtype, {2, 8, 2, 4}}};
  if (!bias.empty()) args.push_back({f32, bias});
  return formulas(args, [&](std::span<const Value> in) {
    return attention(in[0], in[1], in[1], {.bias = bias.empty() ? Value() : in[2]});
  });
}

TEST(Obstacles, OfAttention) {
  EXPECT_THAT(attention_of(f32, 8), IsEmpty());
  EXPECT_THAT(attention_of(f32, 8, {2, 1, 8, 8}), IsEmpty());
  EXPECT_THAT(attention_of(f64, 8),
              ElementsAre(HasSubstr("attention: formula, 1 call: dtype f64")));
  EXPECT_THAT(attention_of(f32, 7), ElementsAre(HasSubstr("fewer than 8 queries")));
  EXPECT_THAT(attention_of(f32, 8, {1, 1, 8, 8}), ElementsAre(HasSubstr("the bias is not [kv")));
}

std::vector<std::string> dropout_of(DType dtype, const ArrayType& words, const Dims& shared) {
  return formulas({{dtype, {4, 8}}, words}, [&](std::span<const Value> in) {
    return dropout(
        in[0], {graph::random::Key(graph::random::KeyKind::threefry, {in[1], in[1]}), 0.5}, shared);
  });
}

TEST(Obstacles, OfDropout) {
  EXPECT_THAT(dropout_of(bf16, {u32, {}}, {}), IsEmpty());
  EXPECT_THAT(dropout_of(f64, {u32, {}}, {}), testing::Contains(HasSubstr("dropout: formula")));
  EXPECT_THAT(dropout_of(f32, {u32, {}}, {0}),
              testing::Contains(HasSubstr("elements share draws")));
}

std::vector<std::string> linear_of(DType dtype,
                                   std::int64_t rows,
                                   const CpuFeatures& cpu,
                                   const std::string& platform = "cpu") {
  return formulas({{dtype, {rows, 4}}, {dtype, {4, 8}}},
                  [](std::span<const Value> in) {
                    return linear({"batch", "embed", "mlp"}, in[0], in[1]);
                  },
                  {.target = {.platform = platform, .cpu = cpu}});
}

TEST(Obstacles, OfLinearDependOnTheTargetsProcessor) {
  const CpuFeatures pairs{.has_float_tiles = true, .has_bf16_pairs = true};
  const CpuFeatures tiles{.has_float_tiles = true, .has_bf16_pairs = true, .has_bf16_tiles = true};
  EXPECT_THAT(linear_of(f32, 16, pairs), IsEmpty());
  EXPECT_THAT(linear_of(bf16, 16, pairs), IsEmpty());
  EXPECT_THAT(linear_of(f32, 15, pairs), ElementsAre(HasSubstr("fewer than 16 rows")));
  EXPECT_THAT(linear_of(f32, 16, {}), ElementsAre(HasSubstr("without AVX-512")));
  EXPECT_THAT(linear_of(bf16, 16, {}), ElementsAre(HasSubstr("without AVX512_BF16")));
  EXPECT_THAT(linear_of(bf16, 16, tiles), ElementsAre(HasSubstr("XLA is faster with AMX")));
  EXPECT_THAT(linear_of(f64, 16, pairs), ElementsAre(HasSubstr("dtype f64")));
  EXPECT_THAT(linear_of(f32, 16, pairs, "cuda"),
              ElementsAre(HasSubstr("no kernel for platform 'cuda'")));
}

std::vector<std::string> norm_of(DType dtype, const Dims& dims, DType scale = f32) {
  return formulas({{dtype, dims}, {scale, {dims.back()}}},
                  [](std::span<const Value> in) { return norm(in[0], in[1], {}); });
}

TEST(Obstacles, OfNorm) {
  EXPECT_THAT(norm_of(bf16, {2, 4}), IsEmpty());
  EXPECT_THAT(norm_of(f64, {2, 4}), ElementsAre(HasSubstr("dtype f64")));
  EXPECT_THAT(norm_of(f32, {2, 4}, bf16), ElementsAre(HasSubstr("a scale of bf16")));
  EXPECT_THAT(norm_of(f32, {1, 1, 1, 1, 1, 4}), ElementsAre(HasSubstr("6 dimensions")));
  EXPECT_THAT(norm_of(f32, {0, 4}), ElementsAre(HasSubstr("no elements")));
}

TEST(Obstacles, OfEmbedding) {
  auto of = [](DType table, DType ids) {
    return formulas({{table, {8, 4}}, {ids, {2, 3}}},
                    [&](std::span<const Value> in) { return embedding(in[0], in[1], table); });
  };
  EXPECT_THAT(of(f32, s32), IsEmpty());
  EXPECT_THAT(of(f64, s32), ElementsAre(HasSubstr("embedding: formula, 1 call: dtype f64")));
  EXPECT_THAT(of(f32, u8), ElementsAre(HasSubstr("ids of u8")));
}

TEST(Obstacles, OfCrossEntropy) {
  auto of = [](DType x, DType table) {
    return formulas({{x, {2, 3, 4}}, {table, {4, 8}}, {s32, {2, 3}}, {f32, {2, 3}}},
                    [](std::span<const Value> in) {
                      return cross_entropy({in[0], in[1]}, in[2], in[3]).loss;
                    });
  };
  EXPECT_THAT(of(bf16, f32), IsEmpty());
  EXPECT_THAT(of(f64, f64), ElementsAre(HasSubstr("dtype f64")));
  EXPECT_THAT(of(f32, f64), ElementsAre(HasSubstr("a table of f64")));
}

TEST(Obstacles, OfSquareSums) {
  auto of = [](const ArrayType& x, const TraceOptions& options = {}) {
    return formulas(
        {x}, [](std::span<const Value> in) { return square_sums(in[0], {}, {{0}})[0]; }, options);
  };
  EXPECT_THAT(of({f32, {4, 4}}), IsEmpty());
  EXPECT_THAT(of({f64, {4, 4}}), ElementsAre(HasSubstr("dtype f64")));
  EXPECT_THAT(of({f32, {4, 4}}, {.mesh = mesh::Mesh({{"d", 2}})}),
              ElementsAre(HasSubstr("several devices")));
}

TEST(Obstacles, OfSumOfSquares) {
  auto of = [](const ArrayType& x, const TraceOptions& options = {}) {
    return formulas(
        {x}, [](std::span<const Value> in) { return sum_of_squares(in[0]); }, options);
  };
  EXPECT_THAT(of({f32, {4, 4}}), IsEmpty());
  EXPECT_THAT(of({f64, {4, 4}}), ElementsAre(HasSubstr("square_sums: formula, 1 call: dtype f64")));
  EXPECT_THAT(of({f32, {4, 4}}, {.mesh = mesh::Mesh({{"d", 2}})}),
              ElementsAre(HasSubstr("several devices")));
}

TEST(Obstacles, OfUpdatesAreThoseOfEachArray) {
  auto of = [](DType first, DType second) {
    return formulas({{first, {4}}, {second, {2}}, {f32, {}}}, [](std::span<const Value> in) {
      std::vector<ArrayUpdate> updates;
      for (int i = 0; i < 2; ++i) {
        Value x = in[static_cast<std::size_t>(i)];
        updates.push_back({.param = x, .gradient = x, .steps = {scale_step(in[2])}, .slots = {}});
      }
      return update_arrays(updates)[0].param;
    });
  };
  EXPECT_THAT(of(f32, bf16), IsEmpty());
  EXPECT_THAT(of(f32, f64), ElementsAre("update: formula, 1 call: dtype f64"));
  EXPECT_THAT(of(f64, f64), ElementsAre("update: formula, 2 calls: dtype f64"));
}

}  // namespace
}  // namespace meshwright::kernels
