// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/train_bpe.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/printable.h"
#include "meshwright/tokenizers/training/merge_learner.h"
#include "meshwright/tokenizers/training/vocabulary.h"
#include "meshwright/tokenizers/unicode/byte_chars.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::int64_t kNumByteTokens = 256;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 21;  // the limit of MergeTable

void check_special_tokens(const std::vector<std::string>& tokens) {
  std::set<std::string_view> seen;
  for (const std::string& token : tokens) {
    const std::string name = printable_name(token);
    MW_CHECK(!token.empty(), "a special token is empty");
    MW_CHECK(utf8_prefix_size(token) == token.size(), "the special token '", name,
             "' is not valid UTF-8");
    const auto bytes = bytes_of_chars(token);
    MW_CHECK(!bytes || bytes->size() > 1, "the special token '", name,
             "' is also the spelling of a byte");
    MW_CHECK(seen.insert(token).second, "the special token '", name, "' is given twice");
  }
}

// Adds the bytes in the order of the characters that stand for them. Returns their ids.
std::vector<Id> add_bytes(TrainedVocabulary& vocabulary) {
  std::array<unsigned char, kNumByteTokens> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(i);
  // UTF-8 sorts as its code points do.
  std::ranges::sort(bytes, std::less(), byte_char);
  std::vector<Id> ids(bytes.size());
  for (const unsigned char byte : bytes)
    ids[byte] = vocabulary.add(std::string(byte_char(byte)));
  return ids;
}

}  // namespace

void check(const BpeTrainingOptions& options) {
  const std::int64_t least = kNumByteTokens + std::ssize(options.special_tokens);
  MW_CHECK(options.vocab_size >= least && options.vocab_size <= kMostTokens, "a vocabulary of ",
           options.vocab_size, " tokens is not between ", least, " (256 bytes and ",
           options.special_tokens.size(), " special tokens) and ", kMostTokens);
  MW_CHECK(options.min_count >= 1, "min_count is ", options.min_count, ", expected at least 1");
  MW_CHECK(options.max_token_bytes.value_or(2) >= 2, "max_token_bytes is ",
           options.max_token_bytes.value_or(0), ", expected at least 2");
  check_special_tokens(options.special_tokens);
}

TrainedBpe train_bpe(const WordCounts& words, const BpeTrainingOptions& options) {
  check(options);
  TrainedVocabulary vocabulary;
  for (const std::string& token : options.special_tokens)
    vocabulary.add(token);
  const std::vector<Id> byte_ids = add_bytes(vocabulary);
  MergeLearner learner(words, byte_ids, vocabulary, options);
  std::vector<TokenPair> merges = learner.learn(static_cast<std::size_t>(options.vocab_size));
  return {.special_tokens = options.special_tokens,
          .tokens = std::move(vocabulary).take(),
          .merges = std::move(merges),
          .num_text_tokens = learner.num_text_tokens()};
}

}  // namespace meshwright::tokenizers
