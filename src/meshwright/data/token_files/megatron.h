// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: Megatron's indexed data sets. NAME.bin holds the tokens of all
// sequences; NAME.idx their lengths and positions, and which sequences make up a document.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "meshwright/data/token_files/token_file.h"
#include "meshwright/data/token_files/token_writer.h"

namespace meshwright::data {

/// Returns the path without the extension if one of `path`, `path`.bin and `path`.idx belongs to an
/// indexed data set.
std::optional<std::string> find_megatron(const std::string& path);

/// Reads the index of PREFIX.bin. Throws data_loss if it is damaged, or if the tokens are missing
/// or do not match it.
TokenFile open_megatron(const std::string& prefix, bool stays_open);

/// `path` may be a prefix or end in .bin or .idx.
std::unique_ptr<TokenWriter> megatron_writer(const std::string& path,
                                             const TokenWriterOptions& options);

}  // namespace meshwright::data
