// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/byte_bpe.h"

#include <algorithm>

#include "meshwright/tokenizers/bpe/encoder.h"
#include "meshwright/tokenizers/bpe/parts.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {

ByteBpe::ByteBpe(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
ByteBpe::ByteBpe(ByteBpe&&) noexcept = default;
ByteBpe& ByteBpe::operator=(ByteBpe&&) noexcept = default;
ByteBpe::~ByteBpe() = default;

ByteBpe::ByteBpe(const BpeModel& model) {
  auto parts = std::make_unique<Parts>(model.tokens, model.merges.size(), model.end_of_word_suffix);
  parts->add(model);
  parts_ = std::move(parts);
}

ByteBpe ByteBpe::from_ranks(std::span<const std::string> tokens) {
  auto parts = std::make_unique<Parts>(tokens, tokens.size(), "");
  parts->add_ranks();
  return ByteBpe(std::move(parts));
}

void ByteBpe::encode(const Splitter& splitter, std::string_view text, std::vector<Id>& ids) const {
  std::string storage;
  const std::string_view valid = to_valid_utf8(text, storage);
  // Most text has at least 4 bytes per token.
  const std::size_t expected = ids.size() + valid.size() / 4;
  if (expected > ids.capacity()) ids.reserve(std::max(expected, 2 * ids.capacity()));
  std::unique_ptr<BpeCache> cache = parts_->caches.take();
  Encoder encoder(*parts_, valid.data() + valid.size(), *cache, ids);
  splitter.split(valid, encoder);
  encoder.flush();
  parts_->caches.give_back(std::move(cache));
}

void ByteBpe::encode_word(std::string_view word, std::vector<Id>& ids) const {
  if (word.empty()) return;
  const Id whole = parts_->whole(word, key_of(word));
  if (whole != kNoId)
    ids.push_back(whole);
  else
    parts_->merger.append(word, ids);
}

std::int64_t ByteBpe::size() const {
  return parts_->index.size();
}

std::string_view ByteBpe::bytes(Id id) const {
  return parts_->index.bytes(id);
}

Id ByteBpe::find(std::string_view token) const {
  return parts_->index.find(token);
}

}  // namespace meshwright::tokenizers
