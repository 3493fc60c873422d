// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "meshwright/data/encoding/record_encoder.h"

namespace meshwright::data {

struct PromptOptions {
  bool learn_prompt = false;  // give the prompt's tokens weight 1 too
};

/// Encodes records with two fields, a prompt and its completion:
///
///   BOS prompt completion EOS
///
/// Only the completion and EOS have weight 1. BOS is added if the tokenizer's own template has one.
/// Prompt and completion are encoded separately, so that no token contains text of both. Special
/// tokens spelled out in them are encoded as plain text. Throws invalid_argument if the tokenizer
/// has no end-of-text token.
RecordEncoderPtr prompt_completion_encoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                                           const PromptOptions& options = {});

}  // namespace meshwright::data
