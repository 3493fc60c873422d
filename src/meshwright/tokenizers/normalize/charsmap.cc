// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/normalize/charsmap.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

static_assert(std::endian::native == std::endian::little);

// A unit is a node: the byte that leads to it, the XOR between its own index and the base of its
// children, and whether a key ends here. The value of that key is in the child for byte 0, a leaf.
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
bool is_leaf(std::uint32_t unit) {
  return unit >> 31 != 0;
}
std::uint32_t label(std::uint32_t unit) {
  return unit & (1u << 31 | 0xffu);
}
std::size_t offset(std::uint32_t unit) {
  return std::size_t{unit >> 10} << ((unit & 1u << 9) >> 6);
}
std::size_t value(std::uint32_t unit) {
  return unit & ~(1u << 31);
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes) {
  std::uint32_t trie_bytes = 0;
  if (bytes.size() <= sizeof trie_bytes)
    fail(ErrorCode::data_loss, "charsmap: ", bytes.size(), " bytes are too few");
  std::memcpy(&trie_bytes, bytes.data(), sizeof trie_bytes);
  bytes.remove_prefix(sizeof trie_bytes);
  if (trie_bytes >= bytes.size() || trie_bytes % sizeof(std::uint32_t) != 0 || trie_bytes == 0)
    fail(ErrorCode::data_loss, "charsmap: the trie has ", trie_bytes, " of ", bytes.size(),
         " bytes");
  units_.resize(trie_bytes / sizeof(std::uint32_t));
  std::memcpy(units_.data(), bytes.data(), trie_bytes);
  replacements_ = bytes.substr(trie_bytes);
  replacements_ += '\0';
  if (!is_valid_utf8(replacements_))
    fail(ErrorCode::data_loss, "charsmap: the replacements are not valid UTF-8");
  for (std::size_t i = 0; i < units_.size(); ++i)
    if (!is_leaf(units_[i]) && has_leaf(units_[i])) check_leaf(i, replacements_);
}

void Charsmap::check_leaf(std::size_t unit, std::string_view bytes) const {
  const std::size_t leaf = unit ^ offset(units_[unit]);
  if (leaf >= units_.size())
    fail(ErrorCode::data_loss, "charsmap: unit ", unit, " of the trie points to unit ", leaf,
         " of ", units_.size());
  const std::size_t at = value(units_[leaf]);
  if (at >= bytes.size() || (static_cast<unsigned char>(bytes[at]) & 0xc0) == 0x80)
    fail(ErrorCode::data_loss, "charsmap: unit ", unit, " of the trie points to byte ", at, " of ",
         bytes.size(), " bytes of replacements");
}

std::uint32_t Charsmap::step(std::size_t& node, unsigned char byte) const {
  node ^= byte;
  // Byte 0 leads to the leaf of a node, never to a node.
  if (byte == 0 || node >= units_.size() || label(units_[node]) != byte) return 0;
  const std::uint32_t unit = units_[node];
  node ^= offset(unit);
  return unit;
}

Charsmap::Match Charsmap::longest_prefix(std::string_view text) const {
  if (units_.empty()) return {};
  std::size_t length = 0, leaf = 0, node = offset(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t unit = step(node, static_cast<unsigned char>(text[i]));
    if (unit == 0) break;
    if (!has_leaf(unit)) continue;
    length = i + 1;
    leaf = node;
  }
  if (length == 0) return {};
  return {length, replacements_.data() + value(units_[leaf])};
}

bool Charsmap::may_begin_key(std::string_view text) const {
  if (units_.empty()) return false;
  std::size_t node = offset(units_[0]);
  return std::all_of(text.begin(), text.end(),
                     [&](char byte) { return step(node, static_cast<unsigned char>(byte)) != 0; });
}

}  // namespace meshwright::tokenizers
