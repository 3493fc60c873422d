// SPDX-License-Identifier: Apache-2.0
// Indexing and ordering of sharded arrays, also along the indexed dimension, give the results of
// one device.
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scatter.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/ops/sort.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::graph {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

const mesh::Mesh kMesh({{"data", 2}, {"tensor", 4}});
const std::vector<mesh::Sharding> kSplits = {{{{"data"}, {"tensor"}}},
                                             {{{"tensor"}, {"data"}}},
                                             {{{"data", "tensor"}, {}}},
                                             {{{}, {"data", "tensor"}}}};

HostTensor table() {
  HostTensor out(ArrayType{f32, {16, 32}});
  float position = 0;
  for (float& number : out.mutable_values<float>())
    number = std::sin(position += 2.4f);
  return out;
}

HostTensor places() {
  std::vector<std::int32_t> out(8);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::int32_t>(i * 5 % 16);
  out[7] = out[0];  // two equal rows
  return HostTensor::from(out, {8});
}

using Indexing = Value (*)(Value x, Value ids);

// Returns the results of the function and its gradient, with x sharded as given.
std::vector<HostTensor> run_split(Indexing fn,
                                  const mesh::Mesh& mesh,
                                  std::optional<mesh::Sharding> split) {
  Tracer tracer({.mesh = mesh});
  Value x = tracer.argument({f32, {16, 32}}, {.name = "x", .sharding = std::move(split)});
  Value ids = tracer.argument({s32, {8}}, {.name = "ids"});
  auto loss = [&](Value y) {
    Value out = fn(y, ids);
    Dims all(static_cast<std::size_t>(out.rank()));
    std::iota(all.begin(), all.end(), 0);
    return reduce_sum(out * out * out, all);
  };
  Program program = tracer.finish({fn(x, ids), autodiff::grad(loss, x)});
  return runtime::run(runtime::test_client().compile(program), {table(), places()});
}

struct NamedIndexing {
  const char* name;
  Indexing fn;
};
const NamedIndexing kFunctions[] = {
    {"take", [](Value x, Value ids) { return take(x, ids); }},
    {"take_columns", [](Value x, Value ids) { return take(x, ids, 1); }},
    {"segment_sum",
     [](Value x, Value ids) { return segment_sum(take_slice(x, 0, 0, 8), ids, 16); }},
    {"dynamic_slice",
     [](Value x, Value ids) {
       return dynamic_slice(x, {take_index(ids, 0, 1), take_index(ids, 0, 2)}, {6, 20});
     }},
    {"sort", [](Value x, Value) { return sort(x, {.dim = 0}); }},
    {"top_k", [](Value x, Value) { return top_k(x, 3).values; }},
};

TEST(ShardedIndexing, GivesWhatOneDeviceGives) {
  for (const auto& [name, fn] : kFunctions) {
    std::vector<HostTensor> expected = run_split(fn, mesh::Mesh(), std::nullopt);
    for (const mesh::Sharding& split : kSplits) {
      std::vector<HostTensor> results = run_split(fn, kMesh, split);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_THAT(results[i].to_doubles(), Pointwise(DoubleNear(1e-5), expected[i].to_doubles()))
            << name << (i == 0 ? "" : " gradient") << " split as " << to_string(split);
      }
    }
  }
}

}  // namespace
}  // namespace meshwright::graph
