// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// Returns the documents of the files in `path`, read with the settings of `config`. Plain files
/// are read in place if each is one document of bytes; others are tokenized into the cache first.
/// Throws not_found for a path that names no file.
DocumentsPtr open_text(const TextConfig& config,
                       const config::OneOrMore<std::string>& path,
                       std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                       const std::string& run_folder);

}  // namespace meshwright::data
