// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/tokenizers/training/train_bpe.h"

namespace meshwright::tokenizers {

/// Returns the tokenizer.json of a trained tokenizer, which open_tokenizer() and the libraries of
/// Hugging Face read. `patterns` split text before it is encoded, see splitter_for(). They should
/// be those that split the training text.
std::string trained_json(const TrainedBpe& bpe, const std::vector<std::string>& patterns);

}  // namespace meshwright::tokenizers
