// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/generated/sequences.h"

namespace meshwright::data {

inline config::Choices<SequenceTask> config_choices(SequenceTask) {
  using enum SequenceTask;
  return {{"copy", copy}, {"reverse", reverse}, {"sort", sort}};
}

/// Settings shared by training data and held-out words.
struct WordsConfig {
  SequenceOptions words;

  void words_fields(auto& f) {
    f.optional("task", words.task, "Task on each word.");
    f.optional("min_length", words.min_length, config::kPositive, "Minimum letters per word.");
    f.optional("max_length", words.max_length, config::kPositive, "Maximum letters per word.");
    f.optional("num_letters", words.num_letters, config::between(2, 26), "Size of the alphabet.");
    f.check(
        "min_length", [this] { return words.min_length <= words.max_length; },
        "be at most max_length");
  }
  TextCodec codec() const { return word_codec(words); }
  std::int64_t num_tokens() const { return kFirstLetterToken + words.num_letters; }
  std::string contents() const;
};

struct SequencesConfig : WordsConfig {
  static constexpr char kType[] = "sequences";
  std::int64_t batch_size = 128;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "Words per batch.");
    words_fields(f);
  }
  SourcePtr make(std::int64_t seed) const;
};

/// Words that `sequences` never generates.
struct HeldOutSequencesConfig : WordsConfig {
  static constexpr char kType[] = "held_out_sequences";
  std::int64_t batch_size = 128;
  std::int64_t num_words = 512;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "Words per batch.");
    words_fields(f);
    f.optional("num_words", num_words, config::kPositive, "Number of words.");
  }
  SourcePtr make(std::int64_t seed) const;
};

}  // namespace meshwright::data
