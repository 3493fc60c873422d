// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "meshwright/base/str.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

SectionCases source(const char* type,
                    const char* base,
                    const std::string& settings,
                    std::vector<KeyCase> keys) {
  return {str("data[", type, "]"),
          without_evaluator(base),
          {str("data={ type = \"", type, "\", ", settings, " }")},
          batches,
          std::move(keys)};
}

}  // namespace

Cases data_cases() {
  const std::vector<KeyCase> arithmetic = {{"batch_size", "8"}, {"num_digits", "2"}};
  const std::vector<KeyCase> sequences = {{"batch_size", "8"},
                                          {"task", "sort"},
                                          {"min_length", "3"},
                                          {"max_length", "6"},
                                          {"num_letters", "20"}};
  const std::vector<KeyCase> shapes = {{"batch_size", "8"}, {"size", "12"}, {"noise", "0.25"}};
  const auto with = [](std::vector<KeyCase> keys, KeyCase one) {
    keys.push_back(std::move(one));
    return keys;
  };
  return {source("arithmetic", kLm, "batch_size = 4", arithmetic),
          source("held_out_arithmetic", kLm, "batch_size = 4", arithmetic),
          source("random_tokens", kLm, "batch_size = 4, length = 8, vocab_size = 10",
                 {{"batch_size", "8"}, {"length", "9"}, {"vocab_size", "11"}}),
          source("sequences", kSeq2Seq, "batch_size = 4", sequences),
          source("held_out_sequences", kSeq2Seq, "batch_size = 4",
                 with(sequences, {"num_words", "256"})),
          source("shapes", kVit, "batch_size = 4, size = 8", shapes),
          source("held_out_shapes", kVit, "batch_size = 4, size = 8",
                 with(shapes, {"num_batches", "4"}))};
}

}  // namespace meshwright::config_keys
