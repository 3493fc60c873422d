// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/parts.h"

#include <algorithm>
#include <numeric>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"

namespace meshwright::tokenizers {
namespace {

// Bounds the time of last_pair().
constexpr std::size_t kLongestToken = 1024;

struct Merge {
  Id left, right, merged;
};

std::array<Id, 256> ids_of_bytes(const TokenIndex& index, const std::string& suffix) {
  std::array<Id, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = index.find(static_cast<char>(i) + suffix);
  return out;
}

std::vector<Merge> merges_by_ids(const BpeModel& model, const TokenIndex& index) {
  std::vector<Merge> out;
  out.reserve(model.merges.size());
  std::string both;
  for (const auto& [left, right] : model.merges) {
    both.assign(left).append(right);
    const Merge merge = {index.find(left), index.find(right), index.find(both)};
    if (merge.left == kNoId || merge.right == kNoId || merge.merged == kNoId)
      fail(ErrorCode::invalid_argument, "the merge of '", printable_name(left), "' and '",
           printable_name(right), "' needs both and '", printable_name(both),
           "' in the vocabulary");
    out.push_back(merge);
  }
  return out;
}

// Returns the two tokens that the bytes of a token are merged to before they become the token,
// where any token is a merge of the rank of its id; no tokens if they do not become the token.
std::vector<Id> last_pair(const TokenIndex& index, std::string_view bytes) {
  std::vector<std::size_t> starts(bytes.size() + 1);
  std::iota(starts.begin(), starts.end(), std::size_t{0});
  const auto token = [&](std::size_t first, std::size_t count) {
    return index.find(bytes.substr(starts[first], starts[first + count] - starts[first]));
  };
  std::vector<Rank> ranks(bytes.size() - 1);
  const auto look_up = [&](std::size_t i) { ranks[i] = static_cast<Rank>(token(i, 2)); };
  for (std::size_t i = 0; i < ranks.size(); ++i)
    look_up(i);
  while (ranks.size() > 1) {
    const auto best = std::ranges::min_element(ranks);
    if (*best == kNoRank) return {};
    const auto at = best - ranks.begin();
    ranks.erase(best);
    starts.erase(starts.begin() + at + 1);
    const auto i = static_cast<std::size_t>(at);
    if (i > 0) look_up(i - 1);
    if (i < ranks.size()) look_up(i);
  }
  return {token(0, 1), token(1, 1)};
}

}  // namespace

ByteBpe::Parts::Parts(std::span<const std::string> tokens,
                      std::size_t most_merges,
                      const std::string& suffix)
    : index(tokens),
      merges(most_merges, std::max(tokens.size(), most_merges)),
      byte_ids(ids_of_bytes(index, "")),
      last_byte_ids(ids_of_bytes(index, suffix)),
      merger(index, merges, byte_ids, last_byte_ids),
      encoded_as_itself(tokens.size(), suffix.empty() ? 1 : 0) {}

void ByteBpe::Parts::add(const BpeModel& model) {
  const std::vector<Merge> list = merges_by_ids(model, index);
  // In most files the tokens are in the order of their merges; then ids can be ranks.
  const bool ordered =
      std::ranges::adjacent_find(list, std::ranges::greater_equal(), &Merge::merged) == list.end();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto rank = static_cast<Rank>(ordered ? list[i].merged : static_cast<Id>(i));
    merges.add(list[i].left, list[i].right, rank, list[i].merged);
  }
  merger = Merger(index, merges, byte_ids, last_byte_ids);
  if (model.ignore_merges || !model.end_of_word_suffix.empty()) return;
  std::vector<Id> ids;
  for (Id id = 0; id < index.size(); ++id) {
    ids.clear();
    if (!index.bytes(id).empty()) merger.append(index.bytes(id), ids);
    encoded_as_itself[static_cast<std::size_t>(id)] = ids.size() == 1 && ids[0] == id;
  }
}

void ByteBpe::Parts::add_ranks() {
  if (index.longest() > kLongestToken)
    fail(ErrorCode::unimplemented, "a token has ", index.longest(), " bytes; at most ",
         kLongestToken, " are supported");
  for (std::size_t i = 0; i < byte_ids.size(); ++i)
    if (byte_ids[i] == kNoId) fail(ErrorCode::invalid_argument, "byte ", i, " is not a token");
  // Inside any word, only one pair of tokens merges to a given token: the one that comes last when
  // its own bytes are encoded. That takes only merges of lower ranks, except in few vocabularies.
  std::vector<Id> ids;
  for (Id id = 0; id < index.size(); ++id) {
    const std::string_view bytes = index.bytes(id);
    if (bytes.size() < 2 || index.find(bytes) != id) continue;
    ids.clear();
    merger.append(bytes, ids);
    if (ids.size() != 2) ids = last_pair(index, bytes);
    if (ids.size() != 2) continue;  // only words that are this token give it
    merges.add(ids[0], ids[1], static_cast<Rank>(id), id);
    if (bytes.size() == 2)
      merger.update(static_cast<unsigned char>(bytes[0]), static_cast<unsigned char>(bytes[1]));
  }
}

}  // namespace meshwright::tokenizers
