// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/source_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/config/config.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

struct Holder {
  SourceConfig data;
  void fields(auto& f) { f.required("data", data, "for tests"); }
};

SourceConfig read(const std::string& toml) {
  return config::from_toml<Holder>("[data]\n" + toml).data;
}

TEST(SourceConfig, MakesTheSourceOfItsType) {
  for (const char* type : {"arithmetic", "held_out_arithmetic", "sequences", "held_out_sequences",
                           "shapes", "held_out_shapes"}) {
    SourcePtr source = make_source(read(str("type = '", type, "'\nbatch_size = 6")), {});
    EXPECT_EQ(batch_size(*source), 6) << type;
    const bool is_held_out = std::string_view(type).starts_with("held_out");
    EXPECT_EQ(source->num_batches().has_value(), is_held_out) << type;
  }
}

TEST(SourceConfig, TheSeedDecidesWhatIsTrainedOnButNotWhatIsHeldOut) {
  for (const char* type : {"arithmetic", "sequences", "shapes"}) {
    auto first_batch = [](const std::string& name, std::int64_t seed) {
      return whole_batch(
          *make_source(read("type = '" + name + "'\nbatch_size = 4"), {.seed = seed}), 0);
    };
    EXPECT_FALSE(is_same(first_batch(type, 0), first_batch(type, 1))) << type;
    const std::string held_out = str("held_out_", type);
    EXPECT_TRUE(is_same(first_batch(held_out, 0), first_batch(held_out, 1))) << type;
  }
}

TEST(SourceConfig, RefusesWordsThatAreShorterThanTheyMayBe) {
  EXPECT_THAT([] { read("type='sequences'\nbatch_size=4\nmin_length=9"); },
              throws_with("be at most max_length"));
}

TEST(SourceConfig, SaysWhatAModelMustKnow) {
  EXPECT_EQ(num_tokens(read("type='arithmetic'\nbatch_size=4"), {}), 12);
  EXPECT_EQ(num_tokens(read("type='sequences'\nbatch_size=4\nnum_letters=5"), {}), 7);
  EXPECT_EQ(num_classes(read("type='shapes'\nbatch_size=4")), 4);
  EXPECT_EQ(num_tokens(read("type='shapes'\nbatch_size=4"), {}), std::nullopt);
}

TEST(SourceConfig, HeldOutDataHasTheContentsOfItsTrainingData) {
  for (const char* type : {"arithmetic", "sequences", "shapes"}) {
    const std::string trained_on = contents(read(str("type='", type, "'\nbatch_size=4")));
    EXPECT_EQ(trained_on, contents(read(str("type='held_out_", type, "'\nbatch_size=4"))));
    EXPECT_FALSE(trained_on.empty()) << type;
  }
  EXPECT_NE(contents(read("type='sequences'\nbatch_size=4")),
            contents(read("type='sequences'\nbatch_size=4\ntask='sort'")));
}

TEST(TextCodecOfData, ReadsAdditions) {
  TextCodec codec = text_codec(read("type='arithmetic'\nbatch_size=4\nnum_digits=2"), {});
  EXPECT_THAT(codec.encode("12+3="), ElementsAre(2, 1, 10, 3, 0, 11));
  EXPECT_THAT(codec.encode("12+3"), ElementsAre(2, 1, 10, 3, 0, 11));
  EXPECT_EQ(codec.decode(std::vector<std::int32_t>{5, 1, 0}), "15");
  EXPECT_EQ(codec.decode(std::vector<std::int32_t>{5, 11, 99}), "5=?");
  EXPECT_EQ(codec.max_tokens, 3);
  for (const char* prompt : {"", "+", "12", "12+", "+3", "1+2+3", "100+1", "-1+2", "1 + 2", "a+b"})
    EXPECT_THAT([&] { codec.encode(prompt); }, throws_with("0 to 99")) << prompt;
}

TEST(TextCodecOfData, IsTokenNumbersWhereNothingIsKnown) {
  TextCodec codec =
      text_codec(read("type='random_tokens'\nbatch_size=4\nlength=8\nvocab_size=9"), {});
  EXPECT_THAT(codec.encode("3 1 2"), ElementsAre(3, 1, 2));
}

}  // namespace
}  // namespace meshwright::data
