// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/json_vocabulary.h"

#include <utility>

namespace meshwright::tokenizers {

ModelVocabulary::ModelVocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  ids_.reserve(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    if (!tokens_[i].empty()) {
      ids_[tokens_[i]] = static_cast<Id>(i);
      ++size_;
    }
}

std::optional<Id> ModelVocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace meshwright::tokenizers
