// SPDX-License-Identifier: Apache-2.0
// The models of SentencePiece behind one interface. Internal to formats/.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/formats/sentencepiece_proto.h"
#include "meshwright/tokenizers/formats/sentencepiece_vocab.h"

namespace meshwright::tokenizers {

/// Thread-safe.
class SentencePieceEncoder {
 public:
  virtual ~SentencePieceEncoder() = default;
  virtual std::string_view name() const = 0;
  /// Appends the ids of normalized, marked text, which WordCache::kPadding readable bytes must
  /// follow.
  virtual void encode(std::string_view text, std::vector<Id>& ids) const = 0;
};

std::unique_ptr<SentencePieceEncoder> sentencepiece_encoder(const SentencePieceModel& model,
                                                            const SentencePieceVocab& vocab);

}  // namespace meshwright::tokenizers
