// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/axlearn/axlearn_params.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/models/decoder_lm.h"

namespace meshwright::systems {
namespace {

using models::DecoderLm;
using models::DecoderLmConfig;

DecoderLmConfig small_fuji() {
  DecoderLmConfig c = DecoderLmConfig::fuji();
  c.vocab = 32;
  c.layers = 4;
  c.embed = 8;
  c.kv = 2;
  c.q = 2;
  c.dim = 2;
  c.mlp = 32;
  return c;
}

// Returns the arrays that AXLearn would have for this model.
std::map<std::string, Dims> arrays_of(const DecoderLmConfig& config) {
  const ForeignArrays arrays = axlearn_params(config);
  const DecoderLm lm(config);
  std::map<std::string, Dims> out;
  std::size_t num_found = 0;
  for_each(nn::param_specs(lm), [&](const std::string& path, const ParamSpec& spec) {
    const auto found = arrays.find(path);
    if (found == arrays.end()) {
      ADD_FAILURE() << path << " has no foreign name";
      return;
    }
    ++num_found;
    const auto [known, is_new] =
        out.emplace(found->second.path, foreign_dims(found->second, spec.type.dims));
    EXPECT_EQ(known->second, foreign_dims(found->second, spec.type.dims)) << path;
    EXPECT_EQ(native_dims(found->second, known->second), spec.type.dims) << path;
  });
  EXPECT_EQ(num_found, arrays.size());
  return out;
}

const std::string kLayer = "decoder/transformer/repeat/layer/";

std::map<std::string, Dims> expected_arrays(const Dims& qkv) {
  return {{"decoder/emb/token_emb/weight", {32, 8}},
          {"decoder/output_norm/scale", {8}},
          {kLayer + "self_attention/norm/scale", {4, 8}},
          {kLayer + "self_attention/attention/i_proj/i_proj/qkv_proj/weight", qkv},
          {kLayer + "self_attention/attention/o_proj/weight", {4, 8, 4, 2}},
          {kLayer + "feed_forward/norm/scale", {4, 8}},
          {kLayer + "feed_forward/linear1_0/weight", {4, 8, 32}},
          {kLayer + "feed_forward/linear1_1/weight", {4, 8, 32}},
          {kLayer + "feed_forward/linear2/weight", {4, 32, 8}}};
}

// From axlearn/experiments/testdata for fuji-test-v1, preceded by 4 layers.
TEST(AxlearnParams, MatchFujiTest) {
  DecoderLmConfig config = small_fuji();
  config.tied_embedding = true;
  EXPECT_EQ(arrays_of(config), expected_arrays({4, 8, 8, 2}));
}

TEST(AxlearnParams, SliceOneArrayWhereEachKeyHasOneQuery) {
  DecoderLmConfig config = small_fuji();
  config.tied_embedding = true;
  config.kv = 4;
  config.q = 1;
  EXPECT_EQ(arrays_of(config), expected_arrays({4, 3, 8, 4, 2}));
}

TEST(AxlearnParams, IncludeASeparateOutputHead) {
  std::map<std::string, Dims> expected = expected_arrays({4, 8, 8, 2});
  expected["decoder/lm_head/weight"] = {32, 8};
  EXPECT_EQ(arrays_of(small_fuji()), expected);
}

TEST(AxlearnParams, AreEmptyForAModelThatComputesSomethingElse) {
  EXPECT_TRUE(axlearn_params(DecoderLmConfig::llama()).empty());
  EXPECT_TRUE(axlearn_params(DecoderLmConfig::seqax()).empty());
  EXPECT_TRUE(axlearn_params(DecoderLmConfig::gpt2()).empty());
  DecoderLmConfig config = small_fuji();
  config.norm.epsilon = 1e-6;
  EXPECT_TRUE(axlearn_params(config).empty());
  config = small_fuji();
  config.gated_mlp = false;
  EXPECT_TRUE(axlearn_params(config).empty());
}

}  // namespace
}  // namespace meshwright::systems
