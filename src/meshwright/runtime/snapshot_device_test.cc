// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/runtime/snapshot.h"

namespace meshwright::runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const mesh::Mesh kMesh({{"data", 2}, {"model", 4}});

HostTensor counted(Dims dims) {
  HostTensor out(ArrayType{f32, std::move(dims)});
  float next = 0;
  for (float& value : out.mutable_values<float>())
    value = next++;
  return out;
}

// Replicated on all devices; 4 parts with two replicas each; 8 parts; a scalar.
std::vector<DeviceArray> arrays() {
  return {test_client().put(counted({8, 3}), kMesh, mesh::Sharding::replicated()),
          test_client().put(counted({4, 8}), kMesh, {{{}, {"model"}}}),
          test_client().put(counted({8, 2}), kMesh, {{{"data", "model"}}}),
          test_client().put(HostTensor::scalar(7.0F), kMesh, mesh::Sharding::replicated())};
}
constexpr std::uint64_t kNumBytes = (24 + 32 + 16 + 1) * sizeof(float);

// Assembles the arrays from parts that must cover each element once.
std::vector<HostTensor> read(Snapshot snapshot, const std::vector<DeviceArray>& of) {
  std::vector<HostTensor> out;
  std::vector<std::int64_t> num_read(of.size());
  for (const DeviceArray& array : of)
    out.emplace_back(array.type());
  for (SnapshotPart& part : snapshot.parts) {
    HostTensor& whole = out[part.array()];
    const HostTensor value = part.take();
    num_read[part.array()] += value.num_elements();
    copy_overlap(value.data(), part.ranges(), whole.mutable_data(), whole_ranges(whole.dims()), 4);
  }
  for (std::size_t i = 0; i < of.size(); ++i)
    EXPECT_EQ(num_read[i], out[i].num_elements());
  return out;
}

void expect_equal(const std::vector<HostTensor>& found) {
  const std::vector<HostTensor> wanted = {counted({8, 3}), counted({4, 8}), counted({8, 2}),
                                          HostTensor::scalar(7.0F)};
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(found[i].to_doubles(), wanted[i].to_doubles()) << "array " << i;
}

bool is_ready(const std::shared_future<void>& future) {
  return future.wait_for(0s) == std::future_status::ready;
}

struct Case {
  std::uint64_t budget;
  SnapshotOptions options;
};

class SnapshotTest : public testing::TestWithParam<Case> {};

TEST_P(SnapshotTest, HasEveryElementOnce) {
  StagingPool pool(GetParam().budget);
  const std::vector<DeviceArray> all = arrays();
  Snapshot taken = snapshot(all, pool, GetParam().options);
  EXPECT_EQ(taken.num_bytes, kNumBytes);
  expect_equal(read(std::move(taken), all));
}

TEST_P(SnapshotTest, HoldsWhatIsNotCopiedUntilItIsRead) {
  StagingPool pool(GetParam().budget);
  const std::vector<DeviceArray> all = arrays();
  Snapshot taken = snapshot(all, pool, GetParam().options);
  const bool holds = std::ranges::any_of(all, &DeviceArray::is_held);
  EXPECT_EQ(holds, taken.num_held_bytes > 0);
  EXPECT_EQ(is_ready(taken.released), !holds);
  const std::shared_future<void> released = taken.released;
  read(std::move(taken), all);
  EXPECT_TRUE(is_ready(released));
  EXPECT_FALSE(std::ranges::any_of(all, &DeviceArray::is_held));
}

TEST_P(SnapshotTest, LetsGoOfWhatNobodyReads) {
  StagingPool pool(GetParam().budget);
  const std::vector<DeviceArray> all = arrays();
  std::shared_future<void> released;
  {
    Snapshot taken = snapshot(all, pool, GetParam().options);
    released = taken.released;
  }
  EXPECT_TRUE(is_ready(released));
  EXPECT_FALSE(std::ranges::any_of(all, &DeviceArray::is_held));
}

TEST_P(SnapshotTest, TheNextOneTakesTheSameMemory) {
  StagingPool pool(GetParam().budget);
  const std::vector<DeviceArray> all = arrays();
  std::vector<std::multimap<std::size_t, const std::byte*>> places(3);
  std::uint64_t num_bytes_first = 0;
  for (auto& place : places) {
    Snapshot taken = snapshot(all, pool, GetParam().options);
    std::vector<HostTensor> values;
    for (SnapshotPart& part : taken.parts)
      if (!part.is_read_later()) values.push_back(part.take());
    for (const HostTensor& value : values)
      place.emplace(value.num_bytes(), value.data());
    if (num_bytes_first == 0) num_bytes_first = pool.num_bytes();
    EXPECT_EQ(pool.num_bytes(), num_bytes_first);
  }
  auto addresses = [](const auto& place) {
    std::multiset<const std::byte*> out;
    for (const auto& [size, at] : place)
      out.insert(at);
    return out;
  };
  EXPECT_EQ(addresses(places[0]), addresses(places[1]));
  EXPECT_EQ(addresses(places[1]), addresses(places[2]));
  EXPECT_LE(pool.peak_bytes(), pool.max_bytes());
}

INSTANTIATE_TEST_SUITE_P(
    Ways,
    SnapshotTest,
    testing::Values(Case{1 << 20, {}},
                    Case{100, {}},
                    Case{0, {}},
                    Case{1 << 20, {.hold = true}},
                    Case{1 << 20, {.replica_parallel = true}},
                    Case{100, {.hold = true, .replica_parallel = true}},
                    Case{1 << 20, {.reads_in_place = false}},
                    Case{100, {.reads_in_place = false}},
                    Case{100, {.hold = true, .reads_in_place = false}},
                    Case{100, {.replica_parallel = true, .reads_in_place = false}}));

TEST(Snapshot, EachReplicaGivesItsShare) {
  StagingPool pool(1 << 20);
  const std::vector<DeviceArray> all = arrays();
  Snapshot taken = snapshot(all, pool, {.replica_parallel = true});
  EXPECT_THAT(taken.part_dims, ElementsAre(Dims{1, 3}, Dims{2, 2}, Dims{1, 2}, Dims{}));
  EXPECT_THAT(snapshot(all, pool).part_dims,
              ElementsAre(Dims{8, 3}, Dims{4, 2}, Dims{1, 2}, Dims{}));
}

TEST(Snapshot, CopiesLargeArraysInChunks) {
  StagingPool pool(std::uint64_t{64} << 20);
  const HostTensor large = counted({3, 1000, 1001});
  const std::vector<DeviceArray> all = {test_client().put(large)};
  Snapshot taken = snapshot(all, pool);
  const HostTensor value = taken.parts[0].take();
  EXPECT_TRUE(std::ranges::equal(value.bytes(), large.bytes()));
}

// Returns x + 1, computed in the memory of x.
Executable add_one_in_place() {
  graph::Tracer tracer(graph::TraceOptions{.mesh = kMesh});
  graph::Value x = tracer.argument({f32, {8, 3}}, {"x", mesh::Sharding::replicated(), 0});
  return test_client().compile(tracer.finish({x + 1.0F}, {{"y", mesh::Sharding::replicated()}}));
}

TEST(Snapshot, KeepsItsValuesWhileTheArraysAreDonated) {
  const Executable step = add_one_in_place();
  StagingPool pool(1 << 20);
  std::vector<DeviceArray> state = {arrays()[0]};
  Snapshot taken = snapshot(state, pool);
  for (int i = 0; i < 20; ++i)
    state = step(std::move(state));
  step.wait();
  EXPECT_EQ(taken.parts[0].take().to_doubles(), counted({8, 3}).to_doubles());
  EXPECT_EQ(state[0].to_host().to_doubles()[0], 20);
}

TEST(Snapshot, WhatIsHeldCannotBeDonated) {
  const Executable step = add_one_in_place();
  StagingPool pool(0);
  std::vector<DeviceArray> state = {arrays()[0]};
  Snapshot taken = snapshot(state, pool);
  EXPECT_THROW(step(state), Error);
  taken.parts.clear();
  EXPECT_NO_THROW(step(std::move(state)));
}

// Simulates a device that the host cannot read: a reader waiting for space gets it when another
// part is released.
TEST(Snapshot, ReadsLaterWithinTheBudgetOnSeveralThreads) {
  StagingPool pool(40);
  const std::vector<DeviceArray> all = {arrays()[2]};  // 8 parts of 8 bytes
  Snapshot taken = snapshot(all, pool, {.hold = true, .reads_in_place = false});
  std::vector<std::thread> threads;
  for (SnapshotPart& part : taken.parts)
    threads.emplace_back([&part] { part.take(); });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_LE(pool.peak_bytes(), 40u);
}

}  // namespace
}  // namespace meshwright::runtime
