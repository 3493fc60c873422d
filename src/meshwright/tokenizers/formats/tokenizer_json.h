// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Reads a tokenizer.json of the `tokenizers` library. Ids and decoded text are those of version
/// 0.23; text that is not valid UTF-8 is read with U+FFFD for each maximal invalid part. Padding
/// and truncation are ignored. Throws data_loss if the file is malformed, and unimplemented, naming
/// the component, if it uses one that is not supported. `what` names the file in messages.
std::unique_ptr<Tokenizer> read_tokenizer_json(std::string text, std::string_view what);

}  // namespace meshwright::tokenizers
