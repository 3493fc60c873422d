// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::cli {

struct TokenOutputArgs {
  std::string path;
  std::optional<std::string> format;  // absent: chosen by the name of the file
  bool force = false, as_json = false;
};

/// Returns the names of the formats of token files.
std::vector<std::string> token_format_names();

/// Encodes the files of `config` into a file of tokens and prints a report to stdout.
void write_tokens(const data::TextConfig& config,
                  const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                  const TokenOutputArgs& args);

}  // namespace meshwright::cli
