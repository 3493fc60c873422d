// SPDX-License-Identifier: Apache-2.0
// The kernels draw the same bits as the host, for several keys and for more elements than one task
// has.
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/threefry.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright {
namespace {

using graph::Value;
using graph::random::Key;

constexpr std::int64_t kNumKeys = 3, kNumElements = 20001;

std::vector<threefry::KeyWords> keys() {
  return threefry::split(threefry::key(5), kNumKeys);
}

HostTensor run_with_keys(const auto& make) {
  std::vector<std::uint32_t> words;
  for (const threefry::KeyWords& key : keys())
    words.insert(words.end(), key.begin(), key.end());
  const HostTensor data = HostTensor::from(words, {kNumKeys, 2});
  const graph::Program program = graph::trace({data.type()}, [&](std::span<const Value> args) {
    return std::vector<Value>{make(graph::random::wrap_key_data(args[0]))};
  });
  return run(runtime::test_client().compile(program), {data})[0];
}

template <typename T>
void expect_drawn(DType dtype, T (*draw)(threefry::KeyWords, std::uint64_t)) {
  const HostTensor drawn = run_with_keys(
      [&](const Key& batch) { return graph::random::bits(batch, {kNumElements}, dtype); });
  const auto values = drawn.values<T>();
  std::size_t at = 0;
  for (const threefry::KeyWords& key : keys()) {
    for (std::int64_t i = 0; i < kNumElements; ++i, ++at)
      ASSERT_EQ(values[at], draw(key, static_cast<std::uint64_t>(i))) << at;
  }
}

TEST(ThreefryKernel, DrawsFromEachKey) {
  expect_drawn<std::uint32_t>(u32, threefry::bits32);
  expect_drawn<std::uint64_t>(u64, threefry::bits64);
}

TEST(ThreefryKernel, HashesWithEachKey) {
  const HostTensor folded = run_with_keys([](const Key& batch) {
    return graph::random::key_data(
        graph::random::fold_in(batch, graph::iota(u32, {kNumKeys, kNumElements}, 1)));
  });
  const auto values = folded.values<std::uint32_t>();
  std::size_t at = 0;
  for (const threefry::KeyWords& key : keys()) {
    for (std::uint32_t i = 0; i < kNumElements; ++i, at += 2)
      ASSERT_EQ((threefry::KeyWords{values[at], values[at + 1]}), threefry::fold_in(key, i)) << at;
  }
}

TEST(ThreefryKernel, DrawsNothing) {
  const HostTensor drawn = run_with_keys([](const Key& batch) {
    return graph::random::bits(batch, {0, 4});
  });
  EXPECT_EQ(drawn.dims(), (Dims{kNumKeys, 0, 4}));
}

}  // namespace
}  // namespace meshwright
