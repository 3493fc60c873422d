// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/hex.h"
#include "meshwright/base/md5.h"
#include "meshwright/base/threefry.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright {
namespace {

using graph::Value;
using graph::random::Key;
using graph::random::KeyKind;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

const threefry::KeyWords kParent = threefry::key(1234567);
const mesh::Mesh kMesh({{"data", 4}, {"tensor", 2}});
const mesh::Sharding kSharded{{{"data"}, {"tensor"}}};

using Draw = std::function<Value(const Key&)>;

/// Compiles a program that draws with a key given at run time as u32[2] or u32[4].
runtime::Executable compile(const Draw& draw,
                            KeyKind kind,
                            const mesh::Mesh& mesh,
                            std::optional<mesh::Sharding> sharding) {
  graph::Tracer tracer({.mesh = mesh});
  Value data = tracer.argument({u32, {kind == KeyKind::threefry ? 2 : 4}});
  Value drawn = draw(graph::random::wrap_key_data(data, kind));
  return runtime::test_client().compile(
      tracer.finish({drawn}, {{.sharding = std::move(sharding)}}));
}

HostTensor draw_threefry(const Draw& draw,
                         const mesh::Mesh& mesh = {},
                         std::optional<mesh::Sharding> sharding = std::nullopt) {
  auto key = HostTensor::from<std::uint32_t>({kParent[0], kParent[1]}, {2});
  return run(compile(draw, KeyKind::threefry, mesh, std::move(sharding)), {key})[0];
}

HostTensor draw_rbg(const Draw& draw) {
  auto key = HostTensor::from<std::uint32_t>({1, 2, 3, 4}, {4});
  return run(compile(draw, KeyKind::rbg, {}, std::nullopt), {key})[0];
}

std::vector<std::uint32_t> host_bits(std::size_t first, std::size_t num) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < num; ++i)
    out.push_back(threefry::bits32(kParent, first + i));
  return out;
}

TEST(Bits, AreThoseOfTheHostOnEveryMesh) {
  auto draw = [](const Key& key) { return bits(key, {16, 10}); };
  EXPECT_THAT(draw_threefry(draw).values<std::uint32_t>(), ElementsAreArray(host_bits(0, 160)));
  EXPECT_THAT(draw_threefry(draw, kMesh, kSharded).values<std::uint32_t>(),
              ElementsAreArray(host_bits(0, 160)));
}

TEST(Bits, CountBeyond32Bits) {
  // Computes only the two rows around element 2^32.
  auto draw = [](const Key& key) {
    return graph::slice(bits(key, {65538, 65536}), {65535, 0}, {65537, 65536});
  };
  EXPECT_THAT(draw_threefry(draw).values<std::uint32_t>(),
              ElementsAreArray(host_bits(std::size_t{65535} * 65536, std::size_t{2} * 65536)));
}

TEST(Bits, ANumberOfPositionsThatJustFits32Bits) {
  auto draw = [](const Key& key) {
    return graph::slice(bits(key, {65536, 65536}), {65535, 65532}, {65536, 65536});
  };
  EXPECT_THAT(draw_threefry(draw).values<std::uint32_t>(),
              ElementsAreArray(host_bits((std::size_t{1} << 32) - 4, 4)));
}

TEST(Bits, EachDeviceComputesItsPart) {
  runtime::Executable program = compile(
      [](const Key& key) {
        return normal(key, {512, 512});
      },
      KeyKind::threefry, kMesh, kSharded);
  std::string text = program.optimized_program();
  for (const char* collective : {"all-gather", "all-reduce", "collective-permute", "all-to-all"})
    EXPECT_THAT(text, Not(HasSubstr(collective)));
}

TEST(Bits, InAManualRegionAreThoseOfTheKeyOnEachDevice) {
  graph::Tracer tracer({.mesh = mesh::Mesh({{"data", 8}})});
  Value data = tracer.argument({u32, {2}});
  auto body = [&](std::span<const Value> parts) {
    Key key = fold_in(graph::random::wrap_key_data(data), graph::reshape(parts[0], {}));
    return std::vector{graph::reshape(bits(key, {3}), {1, 3})};
  };
  std::vector<graph::ManualInput> inputs = {{graph::iota(s32, {8}), "device/data"}};
  Value drawn = graph::manual(inputs, {"device/data three"}, body)[0];
  auto program = runtime::test_client().compile(tracer.finish({drawn}));
  auto key = HostTensor::from<std::uint32_t>({kParent[0], kParent[1]}, {2});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t device = 0; device < 8; ++device) {
    for (std::uint64_t i = 0; i < 3; ++i)
      expected.push_back(threefry::bits32(threefry::fold_in(kParent, device), i));
  }
  EXPECT_THAT(run(program, {key})[0].values<std::uint32_t>(), ElementsAreArray(expected));
}

TEST(Keys, OfTheHostAndOfAProgramAreTheSame) {
  auto words = [](threefry::KeyWords a) { return std::vector<std::uint32_t>(a.begin(), a.end()); };
  HostTensor child =
      draw_threefry([](const Key& key) { return key_data(fold_in(split(key, 3)[2], 99)); });
  EXPECT_THAT(child.values<std::uint32_t>(),
              ElementsAreArray(words(threefry::fold_in(threefry::split(kParent, 3)[2], 99))));
  HostTensor negative = draw_threefry([](const Key& key) { return key_data(fold_in(key, -1)); });
  EXPECT_THAT(negative.values<std::uint32_t>(),
              ElementsAreArray(words(threefry::fold_in(kParent, 0xffffffff))));
}

TEST(Keys, ASeedGivenAtRunTimeMakesTheKeyOfItsWidth) {
  auto make = [](DType dtype) {
    return draw_threefry([dtype](const Key& key) {
      Value seed = cast(cast(key.word(1), DType::s64) * -1, dtype);
      return key_data(graph::random::key(seed));
    });
  };
  EXPECT_THAT(make(DType::s32).values<std::uint32_t>(),
              ElementsAreArray(threefry::key(-1234567, threefry::SeedWidth::bits32)));
  EXPECT_THAT(make(DType::s64).values<std::uint32_t>(),
              ElementsAreArray(threefry::key(-1234567, threefry::SeedWidth::bits64)));
}

TEST(Keys, AnRbgKeyIsSplitAndFoldedAsTwoThreefryKeys) {
  auto halves = [](threefry::KeyWords a, threefry::KeyWords b) {
    return std::vector<std::uint32_t>{a[0], a[1], b[0], b[1]};
  };
  HostTensor second = draw_rbg([](const Key& key) { return key_data(split(key, 2)[1]); });
  EXPECT_THAT(second.values<std::uint32_t>(),
              ElementsAreArray(halves(threefry::block({1, 2}, 1), threefry::block({3, 4}, 1))));
  HostTensor folded = draw_rbg([](const Key& key) { return key_data(fold_in(key, 5)); });
  EXPECT_THAT(folded.values<std::uint32_t>(),
              ElementsAreArray(halves(threefry::fold_in({1, 2}, 5), threefry::fold_in({3, 4}, 5))));
}

TEST(Rbg, DrawsEveryWidthAndDependsOnEveryWord) {
  for (DType dtype : {u8, DType::u16, u32, u64}) {
    SCOPED_TRACE(dtype_name(dtype));
    auto program = compile([dtype](const Key& key) { return bits(key, {100}, dtype); },
                           KeyKind::rbg, {}, std::nullopt);
    auto drawn = [&](const std::vector<std::uint32_t>& words) {
      return run(program, {HostTensor::from(words, {4})})[0].to_doubles();
    };
    std::vector<double> first = drawn({1, 2, 3, 4});
    EXPECT_GT(*std::ranges::max_element(first), std::ldexp(0.75, bit_width(dtype)));
    EXPECT_EQ(first, drawn({1, 2, 3, 4}));
    EXPECT_NE(first, drawn({0, 2, 3, 4}));
    EXPECT_NE(first, drawn({1, 0, 3, 4}));
    EXPECT_NE(first, drawn({1, 2, 0, 4}));
    EXPECT_NE(first, drawn({1, 2, 3, 0}));
  }
}

// Digests of the numbers that JAX 0.10.2 and 0.11.2 draw on a CPU with key(42, impl="rbg"). They
// depend on XLA's CPU backend: if a later plugin draws others, update them from the JAX of its
// version.
TEST(Rbg, DrawsTheNumbersOfJaxOnTheSameBackend) {
  auto digest = [](const Draw& draw) {
    auto key = HostTensor::from<std::uint32_t>({0, 42, 0, 42}, {4});
    return hex(md5(run(compile(draw, KeyKind::rbg, {}, std::nullopt), {key})[0].bytes()));
  };
  auto bits_of = [&](DType dtype) {
    return digest([dtype](const Key& key) { return bits(key, {33, 7}, dtype); });
  };
  EXPECT_EQ(bits_of(u8), "593275f3e685ed4bec8121c674d50b08");
  EXPECT_EQ(bits_of(DType::u16), "b5b47b7b355b1d2c90dde582d94af19c");
  EXPECT_EQ(bits_of(u32), "ec9090f97edbbe53f7248a2bdcdb03e1");
  EXPECT_EQ(bits_of(u64), "95896269cf9e53840816e99f88ca0913");
  EXPECT_EQ(digest([](const Key& key) {
              return normal(key, {33, 7});
            }),
            "32e6e7b615bda54355155b7e7679e8ca");
  // jax.vmap over fold_in.
  EXPECT_EQ(digest([](const Key& key) { return bits(fold_in(key, graph::iota(s32, {3})), {5}); }),
            "c92373eb677abef962242362fafd48da");
}

TEST(Rbg, ABatchDrawsEverythingFromItsFirstKey) {
  HostTensor batch =
      draw_rbg([](const Key& key) { return bits(fold_in(key, graph::iota(s32, {3})), {4}); });
  HostTensor first = draw_rbg([](const Key& key) { return bits(fold_in(key, 0), {3, 4}); });
  EXPECT_EQ(batch.to_doubles(), first.to_doubles());
}

}  // namespace
}  // namespace meshwright
