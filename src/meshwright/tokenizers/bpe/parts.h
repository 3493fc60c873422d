// SPDX-License-Identifier: Apache-2.0
// Internal to bpe/.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/bpe/byte_bpe.h"
#include "meshwright/tokenizers/bpe/cache_pool.h"
#include "meshwright/tokenizers/bpe/merge_table.h"
#include "meshwright/tokenizers/bpe/merger.h"
#include "meshwright/tokenizers/bpe/token_index.h"

namespace meshwright::tokenizers {

struct ByteBpe::Parts {
  /// Has no merges yet. Throws unimplemented if the vocabulary is too large.
  Parts(std::span<const std::string> tokens, std::size_t most_merges, const std::string& suffix);

  /// Adds the merges of a model.
  void add(const BpeModel& model);
  /// Adds the merge of each token whose rank is its id.
  void add_ranks();

  /// Returns the id of a word that is a token and is encoded as it; kNoId otherwise.
  Id whole(std::string_view word, const WordKey& key) const {
    const Id id = index.find(word, key);
    return id == kNoId || encoded_as_itself[static_cast<std::size_t>(id)] ? id : kNoId;
  }

  TokenIndex index;
  MergeTable merges;
  std::array<Id, 256> byte_ids, last_byte_ids;
  Merger merger;
  std::vector<char> encoded_as_itself;  // by id
  mutable CachePool caches;
};

}  // namespace meshwright::tokenizers
