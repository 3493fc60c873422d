// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/axlearn/axlearn.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/models/decoder_lm.h"
#include "meshwright/models/vit.h"

namespace meshwright::systems {
namespace {

using models::DecoderLm;
using models::DecoderLmConfig;
using testing::ElementsAre;
using testing::Pair;

TEST(Axlearn, TokenZeroIsPaddingInItsDecoders) {
  EXPECT_EQ(axlearn().defaults(DecoderLm(DecoderLmConfig::fuji())).padding_id, 0);
  for (const DecoderLmConfig& other :
       {DecoderLmConfig::gpt2(), DecoderLmConfig::seqax(), DecoderLmConfig::llama()})
    EXPECT_EQ(axlearn().defaults(DecoderLm(other)).padding_id, std::nullopt);
}

TEST(Axlearn, HasNoVit) {
  EXPECT_TRUE(axlearn().params(models::Vit(models::VitConfig())).empty());
}

std::map<std::string, std::string> names_of(const std::vector<std::string>& paths) {
  const ForeignArrays params = {{"w", {.path = "decoder/w"}}};
  std::map<std::string, std::string> out;
  const models::Vit any_model(models::VitConfig{});
  const optim::LearnerOptions learner;
  for (const auto& [path, array] : axlearn().state(
           {.model = any_model, .params = params, .paths = paths, .learner = learner})) {
    out[path] = array.path;
    for (const ForeignArray& copy : array.copies)
      out[path] += " " + copy.path;
  }
  return out;
}

TEST(Axlearn, NamesTheStateOfItsOptimizer) {
  EXPECT_THAT(names_of({"learner/count", "learner/optimizer/adam/mu/w", "model/w", "num_skipped"}),
              ElementsAre(Pair("learner/count",
                               "learner/optimizer/1/0/count learner/optimizer/1/1/count "
                               "learner/optimizer/1/3/count"),
                          Pair("learner/optimizer/adam/mu/w", "learner/optimizer/1/0/mu/decoder/w"),
                          Pair("model/w", "model/decoder/w")));
}

}  // namespace
}  // namespace meshwright::systems
