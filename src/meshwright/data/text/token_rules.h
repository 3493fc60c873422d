// SPDX-License-Identifier: Apache-2.0
// How the table [data] with type "tokens" reads its files and turns documents into rows.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/data/text/tokens_config.h"
#include "meshwright/data/token_files/open_token_files.h"
#include "meshwright/data/token_files/seqax_source.h"

namespace meshwright::data {

/// The validation split of a flat-tokens data set.
inline constexpr char kValidationSplit[] = "validation";

/// `split` matters only for flat tokens.
TokenFileOptions token_file_options(const TokensConfig& config, const std::string& split);

/// Returns the settings of a corpus of text that make the same rows.
TextConfig row_settings(const TokensConfig& config);

/// True if the validation split of the data set is held out instead of some of its documents.
bool holds_out_validation(const TokensConfig& config);

/// Returns how seqax's loader orders the sequences. Requires config.seqax.
SeqaxSourceOptions seqax_options(const TokensConfig& config,
                                 std::int64_t vocab_size,
                                 std::int64_t seed);

}  // namespace meshwright::data
