// SPDX-License-Identifier: Apache-2.0
// The copy of its tokenizer that a run keeps in its folder.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/data/text/end_tokens.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// The names that the copy and its end tokens may have.
inline constexpr std::array kKeptFiles = {"tokenizer.json", "tokenizer.model", "tokenizer.tiktoken",
                                          kGenerationConfig};

/// A tokenizer and the tokens that end texts according to the files beside it.
struct TokenizerWithEnds {
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer = {};  // null: none
  std::vector<tokenizers::Id> end_tokens = {};
};

/// Returns the files to keep, by name. None for the tokenizer of bytes.
std::map<std::string, std::string> kept_files(const TokenizerWithEnds& opened);

/// Opens a tokenizer by open_tokenizer(), with what end_tokens_in() finds in its folder.
TokenizerWithEnds open_with_ends(const std::string& path);
/// Opens the copy in a run's folder or URL, the newest if there are several.
TokenizerWithEnds open_kept_tokenizer(const std::string& run_folder);

}  // namespace meshwright::data
