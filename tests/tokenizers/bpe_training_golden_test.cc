// SPDX-License-Identifier: Apache-2.0
// Trained tokenizers against those of the `tokenizers` library.
#include <filesystem>
#include <string_view>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/tokenizers/split/rule.h"
#include "meshwright/tokenizers/training/train_bpe.h"
#include "meshwright/tokenizers/training/trained_json.h"

namespace meshwright::tokenizers {
namespace {

JsonValue read(const char* name) {
  return parse_json(file_text(std::filesystem::path(GOLDEN_FOLDER) / name), name);
}

WordCounts words_of(const JsonValue& texts, const Splitter& splitter) {
  WordCounts out;
  for (const JsonValue& text : texts.as_array())
    for (const std::string_view word : words_of(splitter, text.as_text()))
      out.add(word, 1);
  return out;
}

class BpeTrainingGolden : public testing::TestWithParam<const char*> {};

TEST_P(BpeTrainingGolden, GivesTheLibrarysFile) {
  const JsonValue golden = read(GetParam());
  const std::vector<std::string> patterns = named_patterns(golden.at("pattern").as_text());
  BpeTrainingOptions options = {.vocab_size = golden.at("vocab_size").as_integer(),
                                .min_count = golden.at("min_count").as_integer(),
                                .max_token_bytes = golden.at("max_token_bytes").find_integer()};
  for (const JsonValue& token : golden.at("special_tokens").as_array())
    options.special_tokens.push_back(token.as_text());
  const WordCounts words = words_of(golden.at("texts"), *splitter_for(patterns));
  const std::string made = trained_json(train_bpe(words, options), patterns);
  EXPECT_EQ(made, to_string(golden.at("tokenizer")) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Golden,
                         BpeTrainingGolden,
                         testing::Values("prose.json",
                                         "scripts.json",
                                         "letters.json",
                                         "runs.json",
                                         "short_tokens.json"));

}  // namespace
}  // namespace meshwright::tokenizers
