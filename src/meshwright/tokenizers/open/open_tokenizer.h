// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Opens a tokenizer: a tokenizer.json, a SentencePiece .model, a tiktoken file, a file with the
/// content of Tokenizer::saved(), or a folder with a tokenizer.json or tokenizer.model. The content
/// decides, not the name. Throws not_found if there is no such file, data_loss if it is malformed
/// or not recognised, and unimplemented for what is not supported.
std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& path);

/// Makes a tokenizer from the content of a file. `name` is the file's, for messages.
std::unique_ptr<Tokenizer> tokenizer_of_content(std::string content, const std::string& name);

/// Returns the usual name of a file with this content, which tokenizer_of_content() must accept:
/// tokenizer.json, tokenizer.model or tokenizer.tiktoken.
std::string_view usual_file_name(std::string_view content);

/// Returns a hash of what defines the tokenizer, for the keys of caches.
std::string tokenizer_digest(const Tokenizer& tokenizer);

}  // namespace meshwright::tokenizers
