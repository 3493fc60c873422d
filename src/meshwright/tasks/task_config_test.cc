// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config.h"
#include "meshwright/tasks/image_classification.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/tasks/seq2seq.h"

namespace meshwright::tasks {
namespace {

using ::testing::HasSubstr;

TEST(TaskConfig, ModelsTakeWhatIsSetAndTheRestFromTheirStyle) {
  auto lm = config::from_toml<LmConfig>("[model]\nstyle='gpt2'\nvocab=100\nlayers=2\ndropout=0.1");
  models::DecoderLmConfig decoder = model_config(lm.model);
  EXPECT_EQ(decoder.layers, 2);
  EXPECT_EQ(decoder.embed, models::DecoderLmConfig::gpt2().embed);
  EXPECT_EQ(decoder.dropout, 0.1);
  auto seq2seq = config::from_toml<Seq2SeqConfig>(
      "[model]\nstyle='t5_1_1'\nvocab=100\nheads=2\nstack='unrolled'\nremat='dots'");
  models::EncoderDecoderConfig t5 = model_config(seq2seq.model);
  EXPECT_EQ(t5.heads, 2);
  EXPECT_EQ(t5.mlp, models::EncoderDecoderConfig::t5_1_1_small().mlp);
  EXPECT_TRUE(t5.gated_mlp);
  EXPECT_EQ(t5.stack, nn::StackForm::unrolled);
  EXPECT_TRUE(t5.remat.has_value());
}

TEST(TaskConfig, LayersAreUnrolledOnCpusAndOneGpuUnlessItIsSaid) {
  auto form = [](const std::string& key, std::string_view platform, int num_devices = 1) {
    auto lm = config::from_toml<LmConfig>("[model]\nstyle='gpt2'\nvocab=100\n" + key);
    lm.model.choose_stack(platform, num_devices);
    return model_config(lm.model).stack;
  };
  EXPECT_EQ(form("", "cpu"), nn::StackForm::unrolled);
  EXPECT_EQ(form("", "cpu", 8), nn::StackForm::unrolled);
  EXPECT_EQ(form("", "cuda"), nn::StackForm::unrolled);
  EXPECT_EQ(form("", "cuda", 8), nn::StackForm::scanned);
  EXPECT_EQ(form("", "tpu"), nn::StackForm::scanned);
  EXPECT_EQ(form("stack='scanned'", "cpu"), nn::StackForm::scanned);
  EXPECT_EQ(form("stack='unrolled'", "tpu"), nn::StackForm::unrolled);
}

TEST(TaskConfig, AVitHasTheSizeOfItsImages) {
  auto config = config::from_toml<ImageClassificationConfig>(
      "[model]\nclasses=4\npatch=4\npooling='first'\npositions='sincos_2d'");
  models::VitConfig vit = model_config(config.model, {.height = 8, .width = 12, .channels = 1});
  EXPECT_EQ(vit.height, 8);
  EXPECT_EQ(vit.width, 12);
  EXPECT_EQ(vit.channels, 1);
  EXPECT_EQ(vit.pooling, models::Pooling::first);
  EXPECT_EQ(vit.positions, models::ImagePositions::sincos_2d);
  EXPECT_THAT(message_of([&] {
                model_config(config.model, {8, 10, 1});
              }),
              HasSubstr("do not divide images of 8 x 10"));
}

TEST(TaskConfig, RefusesHeadsThatDoNotDivideTheModel) {
  EXPECT_THAT(
      message_of([] {
        config::from_toml<ImageClassificationConfig>("[model]\nclasses=4\nembed=30\nheads=4");
      }),
      HasSubstr("divide embed"));
}

}  // namespace
}  // namespace meshwright::tasks
