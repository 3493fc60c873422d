// SPDX-License-Identifier: Apache-2.0
// Random numbers are bitwise equal to JAX's, on one device and sharded over eight, for both kinds
// of keys.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "cases.h"
#include "golden_file.h"
#include "meshwright/base/hex.h"
#include "meshwright/base/md5.h"
#include "meshwright/base/threefry.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright {
namespace {

using graph::random::KeyKind;

std::string hex_word(const std::byte* little_endian, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = size; i-- > 0;) {
    auto byte = std::to_integer<unsigned>(little_endian[i]);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::vector<std::string> hex_words(const HostTensor& tensor) {
  std::size_t size = byte_size(tensor.dtype());
  std::vector<std::string> out;
  for (std::size_t at = 0; at < tensor.num_bytes(); at += size)
    out.push_back(hex_word(tensor.data() + at, size));
  return out;
}

void expect_golden(const HostTensor& actual, const Golden& golden) {
  ASSERT_EQ(actual.type(), golden.type);
  switch (golden.kind) {
    case Golden::Kind::bits:
      EXPECT_EQ(hex_words(actual), golden.words);
      break;
    case Golden::Kind::digest:
      EXPECT_EQ(hex(md5(actual.bytes())), golden.digest);
      break;
    case Golden::Kind::about: {
      std::vector<double> values = actual.to_doubles();
      ASSERT_EQ(values.size(), golden.words.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        double expected = std::stod(golden.words[i]);
        EXPECT_NEAR(values[i], expected, 1e-8 * std::abs(expected));
      }
    }
  }
}

std::vector<Case> cases_of(KeyKind kind) {
  std::vector<Case> cases = all_cases();
  if (kind == KeyKind::rbg) {  // cases that make a key from a seed keep theirs
    std::erase_if(cases, [](const Case& c) { return c.name.starts_with("key."); });
  }
  return cases;
}

/// Row i is the key of case i. An rbg key is made and folded as two threefry keys side by side.
HostTensor case_keys(KeyKind kind, const std::vector<Case>& cases) {
  const std::int64_t num_halves = kind == KeyKind::threefry ? 1 : 2;
  std::vector<std::uint32_t> words;
  for (const Case& c : cases) {
    threefry::KeyWords key = threefry::fold_in(threefry::key(42), leading_word(md5(c.name)));
    for (std::int64_t half = 0; half < num_halves; ++half)
      words.insert(words.end(), key.begin(), key.end());
  }
  return HostTensor::from(words, {std::ssize(cases), 2 * num_halves});
}

/// Shards each dimension by the first unused mesh axis that divides it.
mesh::Sharding shard_where_possible(const mesh::Mesh& mesh, const Dims& dims) {
  mesh::Sharding sharding;
  std::set<std::string> used;
  for (std::int64_t size : dims) {
    sharding.dims.emplace_back();
    for (const mesh::MeshAxis& axis : mesh.axes()) {
      if (size % axis.size != 0 || !used.insert(axis.name).second) continue;
      sharding.dims.back().push_back(axis.name);
      break;
    }
  }
  return sharding;
}

std::vector<HostTensor> draw_all(KeyKind kind,
                                 const std::vector<Case>& cases,
                                 const mesh::Mesh& mesh,
                                 const runtime::CompileOptions& options) {
  graph::Tracer tracer({.mesh = mesh});
  HostTensor key_rows = case_keys(kind, cases);
  graph::Value keys = tracer.argument(key_rows.type());
  std::vector<graph::Value> results;
  std::vector<graph::ResultInfo> infos;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    graph::Value row = graph::take_index(keys, 0, static_cast<std::int64_t>(i));
    results.push_back(cases[i].draw(graph::random::wrap_key_data(row, kind)));
    infos.push_back({cases[i].name, shard_where_possible(mesh, results.back().dims())});
  }
  graph::Program program = tracer.finish(results, infos);
  return run(runtime::test_client().compile(program, options), {key_rows});
}

void expect_all_goldens(KeyKind kind,
                        const mesh::Mesh& mesh,
                        const runtime::CompileOptions& options = {}) {
  const char* file = kind == KeyKind::threefry ? "/jax.txt" : "/jax_rbg.txt";
  std::map<std::string, Golden> goldens;
  for (Golden& golden : read_goldens(GOLDEN_FOLDER + std::string(file)))
    goldens.emplace(golden.name, golden);
  std::vector<Case> cases = cases_of(kind);
  std::vector<HostTensor> drawn = draw_all(kind, cases, mesh, options);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    ASSERT_TRUE(goldens.contains(cases[i].name));
    expect_golden(drawn[i], goldens[cases[i].name]);
    goldens.erase(cases[i].name);
  }
  for (const auto& [name, golden] : goldens)
    ADD_FAILURE() << "no case draws " << name;
}

const mesh::Mesh kEight({{"data", 2}, {"tensor", 4}});

TEST(RandomNumbers, AreThoseOfJaxOnOneDevice) {
  expect_all_goldens(KeyKind::threefry, {});
}

TEST(RandomNumbers, AreThoseOfJaxWithoutKernels) {
  runtime::CompileOptions options;
  options.use_kernels = false;
  expect_all_goldens(KeyKind::threefry, {}, options);
}

TEST(RandomNumbers, AreThoseOfJaxShardedOverEightDevices) {
  expect_all_goldens(KeyKind::threefry, kEight);
}

TEST(RandomNumbers, OfRbgKeysAreThoseOfJaxOnOneDevice) {
  expect_all_goldens(KeyKind::rbg, {});
}

TEST(RandomNumbers, OfRbgKeysAreThoseOfJaxShardedOverEightDevices) {
  expect_all_goldens(KeyKind::rbg, kEight);
}

}  // namespace
}  // namespace meshwright
