// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/token_index.h"

#include <algorithm>
#include <bit>

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 31;
constexpr std::size_t kMostTokens = std::size_t{1} << 21;  // as MergeTable packs ids

}  // namespace

TokenIndex::TokenIndex(std::span<const std::string> tokens) {
  if (tokens.size() > kMostTokens)
    fail(ErrorCode::unimplemented, "a vocabulary of more than ", kMostTokens, " tokens");
  const std::size_t slots = std::bit_ceil(2 * tokens.size() + 2);
  shift_ = 64 - std::countr_zero(slots);
  slots_.resize(slots);
  offsets_.reserve(tokens.size() + 1);
  for (const std::string& token : tokens) {
    bytes_ += token;
    if (bytes_.size() > kMostBytes)
      fail(ErrorCode::unimplemented, "a vocabulary of more than ", kMostBytes, " bytes");
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    longest_ = std::max(longest_, token.size());
  }
  for (Id id = 0; id < size(); ++id) {
    const std::string_view token = bytes(id);
    if (token.empty() || find(token) != kNoId) continue;
    const std::uint64_t hash = key_of(token).hash();
    std::uint64_t at = hash >> shift_;
    while (slots_[at].id != kNoId)
      at = (at + 1) & (slots - 1);
    slots_[at] = {static_cast<std::uint32_t>(hash), id};
  }
}

}  // namespace meshwright::tokenizers
