// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// The tokens of a model, without added ones.
class ModelVocabulary {
 public:
  ModelVocabulary() = default;
  /// Tokens are by id; an id without a token is empty. Where a token occurs twice, the later id is
  /// found.
  explicit ModelVocabulary(std::vector<std::string> tokens);
  ModelVocabulary(ModelVocabulary&&) = default;
  ModelVocabulary& operator=(ModelVocabulary&&) = default;

  /// Returns one more than the largest id.
  Id end() const { return static_cast<Id>(tokens_.size()); }
  /// Returns the number of tokens.
  std::int64_t size() const { return size_; }
  const std::vector<std::string>& tokens() const { return tokens_; }
  std::optional<Id> find(std::string_view token) const;

 private:
  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, Id> ids_;
  std::int64_t size_ = 0;
};

}  // namespace meshwright::tokenizers
