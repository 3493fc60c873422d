// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/token_corpus.h"

#include <memory>
#include <string>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/on_demand.h"
#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/open_text.h"
#include "meshwright/data/text/token_rules.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/open_token_files.h"
#include "meshwright/data/token_files/seqax_source.h"
#include "meshwright/tokenizers/open/number_tokenizer.h"

namespace meshwright::data {
namespace {

std::vector<TokenFile> open_files(const TokensConfig& config,
                                  const config::OneOrMore<std::string>& path,
                                  const std::string& split,
                                  NumberStore index) {
  TokenFileOptions options = token_file_options(config, split);
  options.index = std::move(index);
  return open_token_files(path, options);
}

class TokenDocuments : public DocumentOpener {
 public:
  TokenDocuments(TokensConfig config, std::string run_folder)
      : config_(std::move(config)), run_folder_(std::move(run_folder)) {}

  Split open_split(const tokenizers::Tokenizer& tokenizer) const override {
    DocumentsPtr all = opened(config_.path, config_.split, tokenizer);
    if (holds_out_validation(config_))
      return {std::move(all), opened(config_.path, kValidationSplit, tokenizer)};
    MW_CHECK(!config_.seqax || config_.held_out.value_or(1) == 0, "data.seqax trains on all of '",
             config_.split,
             "', so nothing of it can be held out\nset data.held_out = 0, and give "
             "the evaluator's data a path");
    const TextConfig settings = row_settings(config_);
    const NumberStore store = index_store(settings, run_folder_, *all);
    return split_documents(settings, std::move(all), store);
  }

  DocumentsPtr open(const config::OneOrMore<std::string>& path,
                    const tokenizers::Tokenizer& tokenizer) const override {
    return opened(path, kValidationSplit, tokenizer);
  }

 private:
  DocumentsPtr opened(const config::OneOrMore<std::string>& path,
                      const std::string& split,
                      const tokenizers::Tokenizer& tokenizer) const {
    return token_documents(
        open_files(config_, path, split, index_store(row_settings(config_), run_folder_)),
        tokenizer.vocab_size());
  }

  TokensConfig config_;
  std::string run_folder_;
};

// Returns 0 if it is not known without opening the files.
std::int64_t vocab_size(const TokensConfig& config, const std::string& run_folder, DataUse use) {
  if (config.vocab) return *config.vocab;
  if (use == DataUse::spec_only) return 0;
  const NumberStore index = index_store(row_settings(config), run_folder);
  const std::int64_t out =
      max_token(open_files(config, config.path, config.split, index), index) + 1;
  log_info("data: a vocabulary of ", out,
           ", for the largest token in the files; data.vocab sets it");
  return out;
}

}  // namespace

TextCorpusPtr open_token_corpus(const TokensConfig& config,
                                std::int64_t seed,
                                const std::string& run_folder,
                                DataUse use) {
  TokenizerWithEnds numbers;
  if (!config.tokenizer)
    numbers.tokenizer = tokenizers::number_tokenizer(vocab_size(config, run_folder, use));
  return std::make_shared<const TextCorpus>(
      row_settings(config), seed, run_folder, use, std::move(numbers),
      std::make_shared<const TokenDocuments>(config, run_folder));
}

SourcePtr seqax_training(const TokensConfig& config,
                         const TextCorpus& corpus,
                         std::int64_t seed,
                         DataUse use) {
  constexpr char kName[] = "seqax";
  const BatchSpec spec = lm_batch_spec(config.batch_size, config.length, {.has_segments = true});
  if (use != DataUse::batches) return spec_only(kName, spec);
  MW_CHECK(config.path.size() == 1 && is_flat_tokens(config.path[0]),
           "data.seqax needs one flat-tokens data set as data.path");
  const SeqaxSourceOptions options = seqax_options(config, corpus.tokenizer().vocab_size(), seed);
  return on_demand(kName, spec, [path = config.path[0], split = config.split, options] {
    return seqax_source(std::make_shared<const FlatTokens>(path, split), options);
  });
}

}  // namespace meshwright::data
