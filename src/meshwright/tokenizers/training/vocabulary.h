// SPDX-License-Identifier: Apache-2.0
// Internal to training/.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// Tokens in the spelling of a tokenizer.json, where a character stands for each byte.
class TrainedVocabulary {
 public:
  /// Returns the id of a token, which is new unless a token is spelled so already.
  Id add(const std::string& token) {
    const auto [found, is_new] = ids_.try_emplace(token, static_cast<Id>(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return found->second;
  }
  std::size_t size() const { return tokens_.size(); }
  const std::string& operator[](Id id) const { return tokens_[static_cast<std::size_t>(id)]; }
  std::vector<std::string> take() && { return std::move(tokens_); }

 private:
  std::vector<std::string> tokens_;  // by id
  std::unordered_map<std::string, Id> ids_;
};

}  // namespace meshwright::tokenizers
