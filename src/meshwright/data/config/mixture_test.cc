// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/mixture.h"

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/config/config.h"
#include "meshwright/data/config/source_config.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/records/records_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Holder {
  SourceConfig data;
  void fields(auto& f) { f.required("data", data, "for tests"); }
};

SourceConfig read(const std::string& toml) {
  return config::from_toml<Holder>("[data]\ntype = 'mixture'\n" + toml).data;
}

class MixtureConfigTest : public testing::Test {
 protected:
  // A part of `num_records` records, each a row of 16 bytes of one letter.
  std::string text_part(const std::string& name,
                        char letter,
                        int num_records,
                        double held_out = 0.1) {
    std::string lines;
    for (int i = 0; i < num_records; ++i)
      lines += str("{\"text\": \"", std::string(16, letter), i, "\"}\n");
    return str("[data.parts.", name, "]\ntype = 'text'\npath = '",
               folder_.write(name + ".jsonl", lines), "'\ncache = '", folder_.path("cache"),
               "'\nlength = 16\nrows = 'single'\nlong_documents = 'truncate'\nheld_out = ",
               held_out, "\n");
  }
  RunData open(const SourceConfig& config, DataUse use = DataUse::batches) const {
    return open_run_data(config, 7, folder_.path("run"), use);
  }
  SourcePtr source(const std::string& toml) const {
    const SourceConfig config = read(toml);
    return make_source(config, open(config));
  }
  // Returns how many rows of a batch begin with each of the letters.
  static std::vector<std::int64_t> letters(const Batch& batch, const std::string& wanted) {
    const std::vector<std::int32_t> inputs = ints(batch, kInputs);
    std::vector<std::int64_t> out(wanted.size());
    for (std::size_t row = 0; row < inputs.size() / 16; ++row)
      ++out.at(wanted.find(static_cast<char>(inputs[16 * row])));
    return out;
  }

  DataFolder folder_;
  ScopedLogHandler quiet_{[](Severity, std::string_view) {}};
};

TEST_F(MixtureConfigTest, MixesTextByWeight) {
  const SourcePtr mixture = source("batch_size = 8\n" + text_part("a", 'a', 200) + "weight = 3\n" +
                                   text_part("b", 'b', 120) + "weight = 1\n");
  expect_pure(*mixture, 4);
  for (std::int64_t step = 0; step < 20; ++step)
    EXPECT_THAT(letters(whole_batch(*mixture, step), "ab"), ElementsAre(6, 2));
}

// Sizes after some records were held out; a temperature of 2 takes their square roots.
TEST_F(MixtureConfigTest, MixesBySizeTemperatureAndLimit) {
  const auto share_of_a = [&](const std::string& settings, const std::string& of_a) {
    const SourcePtr mixture = source("batch_size = 8\n" + settings + text_part("a", 'a', 1600) +
                                     of_a + text_part("b", 'b', 100));
    const std::vector<PartUse> uses = mixture->uses(100'000);
    return static_cast<double>(uses[0].num_examples) / 800'000;
  };
  EXPECT_NEAR(share_of_a("", ""), 16 / 17.0, 0.01);
  EXPECT_NEAR(share_of_a("temperature = 2\n", ""), 4 / 5.0, 0.02);
  EXPECT_NEAR(share_of_a("", "max_examples = 100\n"), 0.5, 0.05);
}

TEST_F(MixtureConfigTest, EndsWithAPartOrDropsIt) {
  const auto num_batches = [&](const std::string& settings, const std::string& of_b) {
    return source("batch_size = 4\n" + settings + text_part("a", 'a', 200, 0) + "weight = 1\n" +
                  text_part("b", 'b', 20, 0) + "weight = 1\n" + of_b)
        ->num_batches();
  };
  EXPECT_EQ(num_batches("", ""), std::nullopt);
  EXPECT_EQ(num_batches("when_finished = 'stop'\n", ""), 10);
  EXPECT_EQ(num_batches("when_finished = 'stop'\n", "num_epochs = 2\n"), 20);
  EXPECT_EQ(num_batches("when_finished = 'drop'\n", ""), 55);
}

TEST_F(MixtureConfigTest, APartWithoutWeightIsNotOpened) {
  const SourcePtr mixture = source("batch_size = 4\n" + text_part("a", 'a', 200) +
                                   "weight = 1\n[data.parts.b]\ntype = 'text'\n"
                                   "path = '/nonexistent'\nweight = 0\n");
  EXPECT_THAT(letters(whole_batch(*mixture, 0), "a"), ElementsAre(4));
}

TEST_F(MixtureConfigTest, MixesGeneratedDataWithText) {
  const SourceConfig config =
      read("batch_size = 8\n" + text_part("a", 'a', 200) +
           "weight = 1\n[data.parts.noise]\ntype = 'random_tokens'\nlength = 16\n"
           "vocab_size = 300\nweight = 1\n");
  const RunData run = open(config);
  EXPECT_EQ(num_tokens(config, run), 300);
  EXPECT_EQ(text_codec(config, run).decode(std::vector<std::int32_t>{97, 98}), "ab");
  const SourcePtr mixture = make_source(config, run);
  expect_pure(*mixture, 3);
  EXPECT_EQ(mixture->batches_per_epoch(), std::nullopt) << "random tokens have no epochs";
}

TEST_F(MixtureConfigTest, AMixtureOfWhatIsKnownHasItsContents) {
  const std::string sort = "[data.parts.a]\ntype='sequences'\ntask='sort'\n";
  EXPECT_EQ(contents(read(sort + "[data.parts.b]\ntype='sequences'\ntask='sort'\n")),
            "words to sort");
  EXPECT_EQ(contents(read(sort + "[data.parts.b]\ntype='sequences'\n")), "");
  EXPECT_EQ(num_classes(read("[data.parts.a]\ntype='shapes'\n")), 4);
}

TEST_F(MixtureConfigTest, HeldOutTextIsOfOnePartOrOfAll) {
  const SourceConfig config =
      read("batch_size = 8\n" + text_part("a", 'a', 400) + text_part("b", 'b', 200));
  const RunData run = open(config);
  const auto rows = [&](HeldOutTextConfig of) {
    of.batch_size = 1;
    return *make_source(of, run)->num_batches();
  };
  EXPECT_GT(rows({.part = "a"}), 20);
  EXPECT_GT(rows({.part = "b"}), 8);
  EXPECT_EQ(rows({}), rows({.part = "a"}) + rows({.part = "b"}));
  const SourcePtr of_b = make_source(HeldOutTextConfig{.batch_size = 2, .part = "b"}, run);
  EXPECT_THAT(letters(of_b->batch(0, {0, 2}), "b"), ElementsAre(2));
  EXPECT_THAT([&] { rows({.part = "c"}); }, throws_with("has no text part 'c'"));
  EXPECT_THAT([&] { rows({.path = {"other.jsonl"}}); }, throws_with("set part to the one whose"));
}

TEST_F(MixtureConfigTest, RowsNameTheirRecords) {
  const SourcePtr mixture = source("batch_size = 8\n" + text_part("a", 'a', 200) + "weight = 3\n" +
                                   text_part("b", 'b', 120) + "weight = 1\n");
  const SourcePtr later = without(mixture, SkippedBatches({{0, 2}}));
  const std::vector<std::int32_t> inputs = ints(whole_batch(*mixture, 3), kInputs);
  for (std::int64_t row = 0; row < 8; ++row) {
    const std::vector<RowPart> parts = mixture->row_parts(3, row);
    ASSERT_EQ(parts.size(), 1);
    const char letter = static_cast<char>(inputs[static_cast<std::size_t>(16 * row)]);
    EXPECT_THAT(parts[0].origin.file, HasSubstr(str("/", letter, ".jsonl")));
    EXPECT_EQ(later->row_parts(0, row), parts);
    EXPECT_EQ(mixture->part_of_row(3, row), str(letter));
    EXPECT_EQ(later->part_of_row(0, row), str(letter));
  }
  EXPECT_EQ(mixture->num_skipped_records(), 0);
}

TEST_F(MixtureConfigTest, SharesFollowWeightsOrSizes) {
  using Rows = std::map<std::string, std::int64_t>;
  const auto shares_of = [&](const std::string& settings, const std::string& of_each,
                             const Rows& num_rows) {
    const SourceConfig config = read("batch_size = 8\n" + settings + text_part("a", 'a', 2) +
                                     of_each + text_part("b", 'b', 2) + of_each);
    return shares(std::get<MixtureConfig>(config), num_rows);
  };
  EXPECT_THAT(shares_of("", "weight = 2\n", {}), ElementsAre(Pair("a", 0.5), Pair("b", 0.5)));
  EXPECT_THAT(shares_of("", "", {{"a", 900}, {"b", 100}}),
              ElementsAre(Pair("a", 0.9), Pair("b", 0.1)));
  EXPECT_THAT(shares_of("temperature = 2\n", "", {{"a", 900}, {"b", 100}}),
              ElementsAre(Pair("a", 0.75), Pair("b", 0.25)));
  EXPECT_THAT(shares_of("", "max_examples = 100\n", {{"a", 900}, {"b", 100}}),
              ElementsAre(Pair("a", 0.5), Pair("b", 0.5)));
  EXPECT_TRUE(shares_of("", "", {{"a", 900}}).empty()) << "the size of b is unknown";
}

TEST_F(MixtureConfigTest, FilesOfTokensAreParts) {
  std::string bytes;
  for (int i = 0; i < 120; ++i)
    bytes += std::string(20, 'b') + "\n";
  const std::string tokens =
      str("[data.parts.b]\ntype = 'tokens'\npath = '", folder_.write("b.bin", bytes),
          "'\ndtype = 'uint8'\nend_token = 10\ntokenizer = 'bytes'\nlength = 16\n"
          "rows = 'single'\nlong_documents = 'truncate'\nheld_out = 0\nweight = 1\n");
  const std::string text = "batch_size = 8\n" + text_part("a", 'a', 200) + "weight = 3\n";
  EXPECT_THAT(letters(whole_batch(*source(text + tokens), 2), "ab"), ElementsAre(6, 2));
  EXPECT_THAT([&] { source(text + tokens + "seqax = {}\n"); },
              throws_with("data.parts.b: seqax decides the order of whole batches"));
}

TEST_F(MixtureConfigTest, ErrorsNameThePart) {
  const std::string good = text_part("a", 'a', 50);
  EXPECT_THAT([&] { source(good + text_part("b", 'b', 50) + "tokenizer = 'none.json'\n"); },
              throws_with("data.parts.b: "));
  EXPECT_THAT(
      [&] { whole_batch(*source(good + text_part("b", 'b', 50) + "field = 'title'\n"), 0); },
      throws_with("data.parts.b: "));
  EXPECT_THAT(
      [&] { whole_batch(*source(good + text_part("b", 'b', 50) + "context = 'document'\n"), 0); },
      throws_with("the batches of parts 'a' and 'b' must have the same arrays"));
  const std::string own = folder_.write("own.json", R"({"model": {"type": "BPE",
    "vocab": {"a": 0, "b": 1}, "merges": []}})");
  EXPECT_THAT([&] { source(good + text_part("b", 'b', 50) + "tokenizer = '" + own + "'\n"); },
              throws_with("is not the tokenizer of data.parts.a: "));
  EXPECT_THAT(
      [&] {
        whole_batch(*source("[data.parts.noise]\ntype='random_tokens'\nlength=16\nvocab_size=9\n"),
                    0);
      },
      throws_with("data.parts.noise: weight is auto, but 'random_tokens' has no size"));
}

TEST_F(MixtureConfigTest, RefusesSettingsWithoutEffect) {
  const std::string a = "[data.parts.a]\ntype='sequences'\n", b = "[data.parts.b]\ntype='shapes'\n";
  EXPECT_THAT([&] { read(a + "weight=1\n" + b); }, throws_with("all have a weight, or none"));
  EXPECT_THAT([&] { read(a + "weight=0\n"); }, throws_with("not all have weight 0"));
  EXPECT_THAT([&] { read(a + "weight=1\nmax_examples=5\n"); }, throws_with("have no max_examples"));
  EXPECT_THAT([&] { read(a + "num_epochs=1\n"); }, throws_with("have no num_epochs"));
  EXPECT_THAT([&] { read("temperature=2\n" + a + "weight=1\n"); }, throws_with("be 1 if parts"));
  EXPECT_THAT([&] { read(a + "batch_size=4\n"); }, throws_with("unknown key 'batch_size'"));
  EXPECT_THAT([&] { read("[data.parts.a]\ntype='mixture'\n"); },
              throws_with("data.parts.a.type is \"mixture\", but must be \"text\" or"));
}

TEST_F(MixtureConfigTest, ShapesNeedNoFiles) {
  const SourceConfig config = read("[data.parts.a]\ntype='text'\npath='/nonexistent'\n");
  const SourcePtr mixture = make_source(config, open(config, DataUse::spec_only));
  EXPECT_EQ(batch_size(*mixture), 16);
  EXPECT_EQ(mixture->batches_per_epoch(), std::nullopt);
}

}  // namespace
}  // namespace meshwright::data
