// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Returns the tokenizer of bytes: ids 0 to 255 are bytes, 256 is the end of a text.
std::unique_ptr<Tokenizer> byte_tokenizer();

}  // namespace meshwright::tokenizers
