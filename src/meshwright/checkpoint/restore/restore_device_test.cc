// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/contents/match.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/restore/restore.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::checkpoint {
namespace {

using runtime::DeviceArray;
using runtime::test_client;

/// A mesh and the shardings of the two matrices and the scalar below.
struct Way {
  const char* name;
  mesh::Mesh mesh;
  mesh::Sharding w, mu;
};

std::vector<Way> ways() {
  return {{"1", mesh::Mesh(), {}, {}},
          {"8", mesh::Mesh({{"a", 8}}), {{{"a"}, {}}}, {{{}, {"a"}}}},
          {"2x4", mesh::Mesh({{"a", 2}, {"b", 4}}), {{{"a"}, {"b"}}}, {{{}, {"b"}}}},
          {"4x2", mesh::Mesh({{"b", 4}, {"a", 2}}), {{{"a"}, {"b"}}}, {{{"b", "a"}, {}}}}};
}

HostTensor counted(const ArrayType& type) {
  HostTensor out(type);
  for (std::size_t i = 0; i < out.num_bytes(); ++i)
    out.mutable_data()[i] = static_cast<std::byte>(i * 7 + i / 256);
  return out;
}

Tree<HostTensor> values() {
  return unflatten<HostTensor>({{"model/w", counted({f32, {16, 24}})},
                                {"learner/mu", counted({bf16, {16, 8}})},
                                {"count", HostTensor::scalar<std::int32_t>(41)}});
}

Tree<mesh::Sharding> shardings(const Way& way) {
  return unflatten<mesh::Sharding>({{"model/w", way.w}, {"learner/mu", way.mu}, {"count", {}}});
}

void expect_values(const Tree<DeviceArray>& found) {
  const Tree<HostTensor> expected = values();
  for_each(found, [&](const std::string& path, const DeviceArray& array) {
    const HostTensor value = array.to_host(), wanted = expected.at(path).value();
    EXPECT_EQ(value.type(), wanted.type()) << path;
    EXPECT_TRUE(std::ranges::equal(value.bytes(), wanted.bytes())) << path;
  });
  EXPECT_EQ(found.num_leaves(), expected.num_leaves());
}

std::shared_ptr<io::MemoryFileSystem> saved_from(const Way& way, const Format& format) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  Tree<DeviceArray> arrays =
      map(values(), shardings(way), [&](const HostTensor& value, const mesh::Sharding& sharding) {
        return test_client().put(value, way.mesh, sharding);
      });
  write_checkpoint(format, files, "run", {.step = 1, .arrays = snapshot(arrays)});
  return files;
}

TEST(Restore, GoesFromAnyMeshToAnyMesh) {
  for (const std::string& name : format_names()) {
    const Format& format = format_named(name);
    for (const Way& from : ways()) {
      auto files = saved_from(from, format);
      const Stored stored = format.open(files, str("run/", format.step_name(1)));
      for (const Way& to : ways()) {
        SCOPED_TRACE(str(name, " from ", from.name, " to ", to.name));
        const auto arrays = restore_arrays(stored.arrays, test_client(), to.mesh, shardings(to));
        expect_values(arrays);
        EXPECT_EQ(arrays.at("model/w").value().layout().num_devices(),
                  static_cast<std::size_t>(to.mesh.num_devices()));
      }
    }
  }
}

TEST(Restore, ReadsEachStoredPieceOnceWhereDevicesHoldTheSame) {
  const Way from = ways()[2];
  auto files = saved_from(from, format_named("axlearn"));
  std::map<std::string, int> num_opened;
  io::Fault fault;
  fault.before = [&](const io::FileCall& call) {
    if (call.kind == io::FileCall::Kind::open) ++num_opened[call.path];
  };
  const Stored stored = format_named("axlearn").open(
      std::make_shared<io::FaultyFileSystem>(files, fault), "run/step_00000001");
  restore_arrays(stored.arrays, test_client(), from.mesh, shardings(from), {.max_threads = 1});
  int num_pieces = 0;
  for (const auto& [path, num] : num_opened) {
    EXPECT_EQ(num, 1) << path;
    if (path.find("/gda/model/w/") != path.npos && !path.ends_with(".zarray")) ++num_pieces;
  }
  EXPECT_EQ(num_pieces, 8);
}

TEST(Restore, WaitsForAsMuchAsTheBudgetAllows) {
  const Way way = ways()[1];
  auto files = saved_from(way, format_named("native"));
  const Stored stored = format_named("native").open(files, "run/step_00000001");
  for (const std::uint64_t max_bytes : {1U, 1600U, 1U << 30})
    expect_values(restore_arrays(stored.arrays, test_client(), way.mesh, shardings(way),
                                 {.max_threads = 4, .max_bytes = max_bytes}));
}

// CPU devices use the buffers that were read.
TEST(Restore, HoldsNothingTwiceOnTheCpu) {
  const Tree<StoredArray> arrays =
      map(values(), [](const HostTensor& v) { return stored_value(v); });
  const Way way = ways()[1];
  std::vector<const std::byte*> given;
  std::vector<Destination> destinations;
  const auto flat = flatten(arrays);
  for (const auto& [path, array] : flat) {
    auto layout = std::make_shared<const runtime::ArrayLayout>(path, array.type(), way.mesh,
                                                               shardings(way).at(path).value());
    destinations.push_back({layout, [&, layout](const auto& part) {
                              return test_client().put_shards(layout, [&](std::size_t i) {
                                HostTensor value = part(i);
                                given.push_back(value.data());
                                return value;
                              });
                            }});
  }
  const std::vector<DeviceArray> out = restore_arrays(leaves(arrays), destinations);
  std::set<std::uintptr_t> there;
  for (const DeviceArray& array : out)
    for (std::size_t device = 0; device < 8; ++device)
      there.insert(array.address(device));
  for (const std::byte* data : given)
    EXPECT_TRUE(there.contains(reinterpret_cast<std::uintptr_t>(data)));
}

TEST(Restore, CastsToTheDTypesThatAreWanted) {
  const Way way = ways()[3];
  auto files = saved_from(ways()[1], format_named("axlearn"));
  const Stored stored = format_named("axlearn").open(files, "run/step_00000001");
  Tree<ArrayType> wanted = map(values(), [](const HostTensor& value) { return value.type(); });
  wanted["learner/mu"] = ArrayType{f32, {16, 8}};
  const Stored cast = select(stored, wanted, Match::exact_up_to_dtype);
  const auto arrays = restore_arrays(cast.arrays, test_client(), way.mesh, shardings(way));
  const HostTensor mu = arrays.at("learner/mu").value().to_host();
  EXPECT_EQ(mu.dtype(), f32);
  EXPECT_THAT(mu.to_doubles(), testing::Pointwise(testing::NanSensitiveDoubleEq(),
                                                  values().at("learner/mu").value().to_doubles()));
}

// The first update takes over the memory of the restored state.
TEST(Restore, GivesArraysThatCanBeDonated) {
  const Tree<HostTensor> old = values();
  for (const Way& way : ways()) {
    for (const mesh::Sharding& sharding : {way.w, mesh::Sharding{}}) {
      graph::Tracer tracer({.mesh = way.mesh});
      graph::Value x =
          tracer.argument({f32, {16, 24}}, {.name = "w", .sharding = sharding, .donated_to = 0});
      runtime::Executable step = test_client().compile(
          tracer.finish({x * 0.0f + 1.0f}, {{.name = "y", .sharding = sharding}}));
      const StoredArray stored =
          stored_value(HostTensor::from(std::vector<float>(384, 3), {16, 24}));
      const runtime::SharedLayout layout = step.signature().arguments[0].layout;
      const Destination there{
          layout, [&](const auto& part) { return test_client().put_shards(layout, part); }};
      const std::vector<DeviceArray> restored = restore_arrays({stored}, {there});
      const std::vector<DeviceArray> next = step(restored);
      EXPECT_FALSE(restored[0].is_alive());
      EXPECT_THAT(next[0].to_host().to_doubles(), testing::Each(1.0)) << way.name;
      EXPECT_THAT(stored.read().to_doubles(), testing::Each(3.0));
    }
  }
}

TEST(Restore, SaysWhichFileIsDamaged) {
  const Way way = ways()[1];
  auto files = saved_from(way, format_named("native"));
  files->content("run/step_00000001/model.w/0.0")[3] ^= 1;
  const Stored stored = format_named("native").open(files, "run/step_00000001");
  for (const int max_threads : {1, 8}) {
    const Error error = thrown_by([&] {
      restore_arrays(stored.arrays, test_client(), way.mesh, shardings(way),
                     {.max_threads = max_threads, .max_bytes = 1});
    });
    EXPECT_EQ(error.code(), ErrorCode::data_loss);
    EXPECT_THAT(error.what(), testing::HasSubstr("model.w/0.0"));
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
