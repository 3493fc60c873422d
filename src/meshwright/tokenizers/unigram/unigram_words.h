// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/bpe/cache_pool.h"
#include "meshwright/tokenizers/core/spare_pool.h"
#include "meshwright/tokenizers/split/word_model.h"
#include "meshwright/tokenizers/unigram/unigram.h"

namespace meshwright::tokenizers {

/// A unigram model that encodes each word on its own, with the sums of `tokenizers`.
class UnigramWords final : public WordModel {
 public:
  /// The pieces are by id, with their scores.  Throws invalid_argument if `byte_fallback` is set
  /// and a byte has no piece.
  UnigramWords(const std::vector<std::pair<std::string, double>>& pieces,
               std::optional<Id> unknown,
               bool byte_fallback);

  /// Throws invalid_argument for an unknown character if there is no unknown token.
  void encode(const WordSource& source, std::vector<Id>& ids) const override;

 private:
  bool has_unknown_;
  Unigram unigram_;
  mutable SparePool<Unigram::Memory> memories_;
  mutable CachePool caches_;
};

}  // namespace meshwright::tokenizers
