// SPDX-License-Identifier: Apache-2.0
// Internal to formats/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// The properties of a vocabulary that its tiktoken file does not contain.
struct TiktokenKind {
  std::string name;
  std::string pattern;
  std::int64_t ranks;  // in the file
  std::vector<std::pair<std::string, Id>> special_tokens;
  std::string bos, eos;  // special tokens with these roles; empty if there is none
};

/// Returns the kind of this name. Throws not_found, listing the names, if it is not known.
TiktokenKind tiktoken_kind(std::string_view name);

/// Returns the kind whose files have this number of ranks. Throws not_found if there is none.
TiktokenKind tiktoken_kind_with_ranks(std::int64_t ranks);

}  // namespace meshwright::tokenizers
