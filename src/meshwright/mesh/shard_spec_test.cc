// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/shard_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright::mesh {
namespace {

TEST(ShardSpec, ReadsNamesSizesAndMeshAxes) {
  ShardSpec spec("layers 2 d_model/t/d n_kv");
  EXPECT_EQ(spec.dims(), (std::vector<DimSpec>{
                             {"layers", {}}, {"2", {}}, {"d_model", {"t", "d"}}, {"n_kv", {}}}));
  EXPECT_EQ(spec.dims()[1].size(), 2);
  EXPECT_FALSE(spec.dims()[0].size().has_value());
  EXPECT_EQ(spec.sharding(), (Sharding{{{}, {}, {"t", "d"}, {}}}));
}

TEST(ShardSpec, OfAScalarIsEmpty) {
  EXPECT_TRUE(ShardSpec("").dims().empty());
}

TEST(ShardSpec, RefusesWhatMakesNoSense) {
  for (const char* text : {"batch/", "/d", "batch//d", "batch/d/", "a-b", "2x", "batch/2",
                           "batch/d len/d", "batch/d/d"}) {
    EXPECT_THAT(message_of([&] { ShardSpec::parse(text); }), testing::HasSubstr(text));
  }
}

TEST(ShardFormula, HasInputsAndAnOutput) {
  ShardFormula formula("batch/d embed, embed hidden/t -> batch/d hidden/t");
  ASSERT_EQ(formula.inputs().size(), 2u);
  EXPECT_EQ(formula.inputs()[1].text(), "embed hidden/t");
  EXPECT_EQ(formula.output().text(), "batch/d hidden/t");
  EXPECT_THROW(ShardFormula::parse("a/d, b"), Error);
}

TEST(IsFullySharded, WantsEveryMeshAxis) {
  Mesh mesh({{"d", 2}, {"t", 4}});
  EXPECT_TRUE(is_fully_sharded(mesh, ShardSpec("vocab/t d_model/d").sharding()));
  EXPECT_TRUE(is_fully_sharded(mesh, ShardSpec("d_model/d/t").sharding()));
  EXPECT_FALSE(is_fully_sharded(mesh, ShardSpec("vocab d_model/d").sharding()));
}

TEST(IsFullySharded, HoldsForEveryParameterOfSeqax) {
  const Mesh mesh({{"d", 2}, {"t", 4}});
  for (ShardSpec spec : {ShardSpec("vocab/t d_model/d"), ShardSpec("layers d_model/t/d"),
                         ShardSpec("layers d_model/d n_q_per_kv n_kv/t d_head"),
                         ShardSpec("layers 2 d_model/d n_kv/t d_head"),
                         ShardSpec("layers d_model/d d_ff/t"), ShardSpec("d_model/d/t")})
    EXPECT_TRUE(is_fully_sharded(mesh, spec.sharding())) << spec.text();
}

}  // namespace
}  // namespace meshwright::mesh
