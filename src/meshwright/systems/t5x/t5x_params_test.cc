// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/t5x/t5x_params.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/models/encoder_decoder.h"
#include "meshwright/systems/t5x/t5x.h"

namespace meshwright::systems {
namespace {

using models::EncoderDecoder;
using models::EncoderDecoderConfig;

std::string name_of(const EncoderDecoderConfig& config, const std::string& path) {
  const EncoderDecoder model(config);
  const ForeignArrays params = t5x().params(model);
  const optim::LearnerOptions learner;
  const ForeignArrays found =
      t5x().state({.model = model, .params = params, .paths = {path}, .learner = learner});
  return found.empty() ? "" : found.at(path).path;
}

constexpr const char* kRowsOfQueries =
    "learner/optimizer/param_states/v_row/encoder/layers/attention/w_q";
constexpr const char* kRowsOfOut =
    "learner/optimizer/param_states/v_row/encoder/layers/attention/w_o";

// T5X's sums over rows are those over the smaller dimension of a kernel.
TEST(T5xParams, RowsAndColumnsChangePlacesWithTheSizes) {
  const std::string queries = "state/param_states/encoder/layers_#/attention/query/kernel/";
  const std::string out = "state/param_states/encoder/layers_#/attention/out/kernel/";
  EncoderDecoderConfig config{.embed = 512, .heads = 6, .dim = 64};
  EXPECT_EQ(name_of(config, kRowsOfQueries), queries + "v_col");
  EXPECT_EQ(name_of(config, kRowsOfOut), out + "v_col");
  config.heads = 8;  // both are equal: the first one counts
  EXPECT_EQ(name_of(config, kRowsOfQueries), queries + "v_row");
  EXPECT_EQ(name_of(config, kRowsOfOut), out + "v_col");
  config.heads = 12;
  EXPECT_EQ(name_of(config, kRowsOfQueries), queries + "v_row");
  EXPECT_EQ(name_of(config, kRowsOfOut), out + "v_row");
}

TEST(T5xParams, ModelsThatT5xComputesDifferentlyHaveNoNames) {
  EXPECT_TRUE(t5x_params({.max_distance = 64}).empty());
}

TEST(T5xParams, NamesDependOnTheGates) {
  EXPECT_EQ(t5x_params({}).at("decoder/layers/mlp/w_up").path, "decoder/layers_#/mlp/wi/kernel");
  EXPECT_EQ(t5x_params({.gated_mlp = true}).at("decoder/layers/mlp/w_gate").path,
            "decoder/layers_#/mlp/wi_0/kernel");
  EXPECT_FALSE(t5x_params({}).contains("unembed"));
}

TEST(T5xParams, OtherArraysHaveNoNames) {
  for (const char* path : {"num_skipped", "learner/optimizer/param_states/v/nothing",
                           "learner/optimizer/param_states/other/embedding/table",
                           "learner/optimizer/mu/embedding/table"})
    EXPECT_EQ(name_of({}, path), "") << path;
  EXPECT_EQ(name_of({}, "learner/count"), "state/step");
}

}  // namespace
}  // namespace meshwright::systems
