// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

inline std::vector<Id> encoded(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<Id> out;
  tokenizer.encode(text, out);
  return out;
}

}  // namespace meshwright::tokenizers
