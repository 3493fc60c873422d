// SPDX-License-Identifier: Apache-2.0
// The corpora that the arguments CONFIG|FILE... [key=value...] name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/corpus_args.h"
#include "meshwright/data/config/mixture_config.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/data/text/tokens_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::cli {

/// Files of text or of tokens, and how to read them.
struct Corpus {
  std::string part = {};  // its name in the mixture; otherwise empty
  CorpusConfig config;
  /// Null for tokens whose tokenizer is not given.
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;
  std::int64_t seed = 0;
  std::optional<std::int64_t> model_vocab = {};      // if the config sets it
  std::optional<std::filesystem::path> caches = {};  // folder of its token cache

  /// True for text, false for tokens.
  bool has_text() const { return std::holds_alternative<data::TextConfig>(config); }
  std::int64_t length() const;
  /// Returns how many threads tokenize; 0: as many as there are processors.
  int num_threads() const;
};

struct Corpora {
  std::vector<Corpus> corpora;
  std::optional<data::MixtureConfig> mixture = {};  // that they are the parts of
};

/// Opens the training data of a config or run, or files. Leaves out the parts of a mixture that are
/// generated or have weight 0. Throws invalid_argument if the config's data has no files.
/// `command` is for messages.
Corpora open_corpora(const std::string& command, const CorpusArgs& args);

/// Calls `function` for each corpus. Errors name the part of a mixture.
template <typename Function>
void for_each_corpus(const Corpora& all, const Function& function) {
  for (const Corpus& corpus : all.corpora) {
    try {
      function(corpus);
    } catch (const Error& error) {
      if (corpus.part.empty()) throw;
      throw error.with_context(str("part '", corpus.part, "'"));
    }
  }
}

}  // namespace meshwright::cli
