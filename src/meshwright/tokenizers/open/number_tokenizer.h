// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Returns a tokenizer for ids whose meaning is unknown: its texts are the numbers of tokens,
/// separated by spaces. A `vocab_size` of 0 stands for an unknown one. Encoding throws
/// invalid_argument for any other text.
std::unique_ptr<Tokenizer> number_tokenizer(std::int64_t vocab_size);

}  // namespace meshwright::tokenizers
