// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/data/core/combinators.h"
#include "meshwright/data/text/text_corpus.h"
#include "meshwright/data/text/tokens_config.h"

namespace meshwright::data {

/// Opens a corpus of token ids. Without a tokenizer, its texts are numbers of tokens.
TextCorpusPtr open_token_corpus(const TokensConfig& config,
                                std::int64_t seed,
                                const std::string& run_folder,
                                DataUse use);

/// Returns the batches of seqax's loader. Requires config.seqax.
SourcePtr seqax_training(const TokensConfig& config,
                         const TextCorpus& corpus,
                         std::int64_t seed,
                         DataUse use);

}  // namespace meshwright::data
