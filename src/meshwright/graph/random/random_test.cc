// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/random_bits.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/choice.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

using testing::HasSubstr;

// As platforms without kernels have it.
std::string plain_text(const Program& program) {
  return write_stablehlo(place_kernels(program, ""));
}

std::string message_while_tracing(auto&& action) {
  Tracer tracer;
  return message_of(action);
}

TEST(Key, HasTheWordsOfItsKind) {
  Tracer tracer;
  EXPECT_EQ(key(42).words().size(), 2);
  EXPECT_EQ(key(42, KeyKind::rbg).words().size(), 4);
  EXPECT_EQ(key_data(key(42, KeyKind::rbg)).dims(), (Dims{4}));
}

TEST(Key, SplitAndFoldInGiveBatches) {
  Tracer tracer;
  EXPECT_EQ(split_batch(key(42), {2, 3}).dims(), (Dims{2, 3}));
  EXPECT_EQ(fold_in(key(42), iota(s32, {5})).dims(), (Dims{5}));
  Key batch = split_batch(key(42), {5});
  EXPECT_EQ(fold_in(batch, 7).dims(), (Dims{5}));
  EXPECT_EQ(fold_in(batch, iota(s32, {5, 2}, 1)).dims(), (Dims{5, 2}));
  EXPECT_EQ(split_batch(batch, {3}).at(1, -1).dims(), (Dims{5}));
  EXPECT_EQ(split(key(42), 3).size(), 3);
}

// XLA would fuse straight lines into every draw that a key serves.
TEST(Key, IsHashedInALoopAndDrawsAreNot) {
  auto text = [](auto&& make) {
    return plain_text(trace({{u32, {2}}}, [&](std::span<const Value> args) {
      return std::vector<Value>{make(wrap_key_data(args[0]))};
    }));
  };
  EXPECT_THAT(text([](const Key& key) { return key_data(fold_in(key, 3)); }),
              HasSubstr("stablehlo.while"));
  EXPECT_THAT(text([](const Key& key) {
                return bits(key, {64, 32});
              }),
              testing::Not(HasSubstr("stablehlo.while")));
}

TEST(Key, RejectsDataOfAnotherShapeOrKind) {
  EXPECT_THAT(
      message_while_tracing([] {
        wrap_key_data(zeros({u32, {4}}));
      }),
      HasSubstr("the data of threefry keys must be u32[...,2], got u32[4] (random_test.cc:"));
  EXPECT_THAT(message_while_tracing([] {
                wrap_key_data(zeros({s32, {2}}));
              }),
              HasSubstr("got s32[2]"));
  EXPECT_THAT(message_while_tracing([] { key_data(Key()); }),
              HasSubstr("an empty Key has no words"));
}

TEST(Key, RejectsWrongUses) {
  EXPECT_THAT(
      message_while_tracing([] { split(split_batch(key(1), {3})); }),
      HasSubstr(
          "split: expected one key, got a batch [3]; use split_batch, or select one with at()"));
  EXPECT_THAT(message_while_tracing([] { key(1).at(0); }),
              HasSubstr("this is a single key, not a batch"));
  EXPECT_THAT(message_while_tracing([] {
                fold_in(key(1), zeros({f32, {}}));
              }),
              HasSubstr("fold_in: the data must be integers, got f32[] (random_test.cc:"));
  EXPECT_THAT(message_while_tracing([] { fold_in(split_batch(key(1), {3}), iota(s32, {4})); }),
              HasSubstr("keys u32[3] do not have the leading dimensions of counters u32[4]"));
  EXPECT_THAT(message_while_tracing([] {
                key(zeros({f32, {}}));
              }),
              HasSubstr("the seed must be an integer"));
}

TEST(Sample, ABatchOfKeysDrawsOneArrayFromEach) {
  Tracer tracer;
  Key batch = split_batch(key(42), {5});
  EXPECT_EQ(normal(batch, {2, 3}).dims(), (Dims{5, 2, 3}));
  EXPECT_EQ(randint(batch, 0, 9, {2}).dims(), (Dims{5, 2}));
  EXPECT_EQ(gumbel(batch, {2}, bf16, Resolution::high).type(), Type(bf16, {5, 2}));
}

TEST(Sample, RejectsWrongDtypes) {
  EXPECT_THAT(message_while_tracing([] { normal(key(1), {2}, s32); }),
              HasSubstr("normal: expected f16, bf16, f32 or f64, got s32 (random_test.cc:"));
  EXPECT_THAT(message_while_tracing([] { randint(key(1), 0, 2, {2}, f32); }),
              HasSubstr("randint: expected an integer dtype, got f32"));
  EXPECT_THAT(message_while_tracing([] {
                randint(key(1), 0, zeros({f32, {}}), {2});
              }),
              HasSubstr("randint: bounds must be integers, got f32[]"));
  EXPECT_THAT(message_while_tracing([] { bits(key(1), {2}, s32); }),
              HasSubstr("bits: expected u8, u16, u32 or u64, got s32"));
}

TEST(Sample, RejectsParametersThatDoNotBroadcast) {
  EXPECT_THAT(message_while_tracing([] {
                uniform(key(1), {2, 3}, f32, zeros({f32, {2}}));
              }),
              HasSubstr("uniform: parameter f32[2] does not broadcast to [2,3], the shape to "
                        "draw (random_test.cc:"));
  EXPECT_THAT(message_while_tracing([] {
                bernoulli(key(1), zeros({f32, {4, 2, 3}}), {2, 3});
              }),
              HasSubstr("bernoulli: parameter f32[4,2,3] does not broadcast"));
}

TEST(Choice, RejectsWrongDimensionsAndKeys) {
  EXPECT_THAT(message_while_tracing([] {
                categorical(key(1), zeros({f32, {2, 3}}), {.dim = 2});
              }),
              HasSubstr("categorical: dimension 2 is out of range for f32[2,3] (random_test.cc:"));
  EXPECT_THAT(message_while_tracing([] {
                categorical(key(1), zeros({f32, {2, 3}}), {.dims = Dims{4}});
              }),
              HasSubstr("categorical: parameter f32[2] does not broadcast to [4]"));
  EXPECT_THAT(message_while_tracing([] {
                permutation(key(1), zeros({f32, {2, 3}}), 2);
              }),
              HasSubstr("permutation: dimension 2 is out of range for f32[2,3]"));
  EXPECT_THAT(message_while_tracing([] { permutation(split_batch(key(1), {3}), 10); }),
              HasSubstr("permutation: expected one key, got a batch [3]; select one with at()"));
}

TEST(Text, HasTheHashOncePerShape) {
  Program program = trace({{u32, {2}}}, [](std::span<const Value> args) {
    std::vector<Value> drawn;
    for (const Key& k : split(wrap_key_data(args[0]), 4))
      drawn.push_back(normal(k, {8, 8}));
    return drawn;
  });
  std::string text = plain_text(program);
  EXPECT_EQ(count(text, "func.func private @threefry2x32_k0_8x8("), 1);
  EXPECT_EQ(count(text, "func.func private @threefry2x32_k0_4("), 1);
  EXPECT_EQ(count(text, "\"func.call\""), 5);
}

Program drawn_on(const mesh::Mesh& mesh) {
  return trace({{u32, {2}}},
               [](std::span<const Value> args) {
                 return std::vector<Value>{normal(fold_in(wrap_key_data(args[0]), 3), {8, 8})};
               },
               {.mesh = mesh});
}

TEST(Text, CallsKernelsOnOneCpu) {
  const std::string text = write_stablehlo(place_kernels(drawn_on({}), "cpu"));
  EXPECT_EQ(count(text, "\"mw_threefry_hash\""), 1);
  EXPECT_EQ(count(text, "\"mw_threefry_bits\""), 1);
  EXPECT_THAT(text, testing::Not(HasSubstr("@threefry2x32")));
}

// The bits of a larger array would be much memory.
TEST(Text, HasPlainArithmeticForLargeDraws) {
  auto text = [](std::int64_t size) {
    return write_stablehlo(trace({{u32, {2}}}, [&](std::span<const Value> args) {
      return std::vector<Value>{bits(wrap_key_data(args[0]), {size})};
    }));
  };
  EXPECT_THAT(text(1 << 23), HasSubstr("mw_threefry_bits"));
  EXPECT_THAT(text((1 << 23) + 1), testing::Not(HasSubstr("mw_threefry_bits")));
}

// There each device computes its part, which a call could not.
TEST(Text, HasPlainArithmeticOnAMesh) {
  const Program placed = place_kernels(drawn_on(mesh::Mesh({{"d", 4}})), "cpu");
  EXPECT_THAT(placed.warnings, testing::IsEmpty());
  EXPECT_THAT(write_stablehlo(placed),
              testing::AllOf(HasSubstr("@threefry2x32"), testing::Not(HasSubstr("mw_threefry"))));
}

TEST(Ops, RejectOperandsThatAreNoWords) {
  EXPECT_THAT(message_while_tracing([] {
                Value word = zeros({u32, {}});
                threefry2x32({word, word}, {zeros({s32, {3}}), zeros({u32, {3}})});
              }),
              HasSubstr("threefry2x32: keys and counters must be u32, got s32[3]"));
  EXPECT_THAT(message_while_tracing([] {
                Value word = zeros({u32, {}});
                threefry2x32({word, word}, {zeros({u32, {3}}), zeros({u32, {4}})});
              }),
              HasSubstr("threefry2x32: the words differ in shape"));
  EXPECT_THAT(message_while_tracing([] {
                rng_bit_generator(zeros({u32, {4}}), {u32, {3}});
              }),
              HasSubstr("rng_bit_generator: the state must be u64[2], got u32[4]"));
  EXPECT_THAT(message_while_tracing([] {
                rng_bit_generator(zeros({u64, {2}}), {f32, {3}});
              }),
              HasSubstr("bits must be u8, u16, u32 or u64, not f32"));
}

}  // namespace
}  // namespace meshwright::graph::random
