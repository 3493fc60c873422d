// SPDX-License-Identifier: Apache-2.0
// Internal to formats/.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/formats/added_tokens.h"
#include "meshwright/tokenizers/formats/json_parts.h"

namespace meshwright::tokenizers {

class JsonTokenizer final : public Tokenizer {
 public:
  /// `text` is the whole file, `json` its content.
  JsonTokenizer(std::string text, const JsonValue& json);

  std::string description() const override;
  std::int64_t vocab_size() const override { return static_cast<std::int64_t>(decoded_.size()); }
  const SpecialTokens& special_tokens() const override { return roles_; }
  void encode(std::string_view text, std::vector<Id>& ids, SpecialText special) const override;
  std::vector<Id> prefix() const override { return template_.prefix; }
  std::vector<Id> suffix() const override { return template_.suffix; }
  std::string decode(std::span<const Id> ids) const override;
  std::size_t num_settled(std::span<const Id> ids) const override;
  std::string bytes(Id id, bool at_start) const override;
  std::string piece(Id id) const override;
  std::optional<Id> find(std::string_view piece) const override;
  std::string saved() const override { return text_; }

 private:
  /// An id as decoding sees it.
  struct Decoded {
    std::string text;
    bool skipped = true;  // special or unused
  };

  void read_added_tokens(const JsonValue& json);
  Id next_added_id() const;
  void add(AddedToken token, Id& next_id);
  void set_decoded();
  void set_roles();
  std::string joined(std::vector<std::string> tokens) const;
  std::string normalized(std::string_view text) const;
  void encode_text(std::string_view text,
                   bool at_start,
                   SpecialText special,
                   std::vector<Id>& ids) const;

  std::string text_;
  std::vector<NormalizerPtr> normalizers_;
  JsonModel model_;
  std::optional<std::vector<DecoderStep>> decoder_;
  JsonTemplate template_;
  std::vector<AddedToken> added_;
  std::unordered_map<std::string, Id> added_ids_;
  AddedTokenFinder finder_, normalized_finder_;
  std::vector<Decoded> decoded_;  // by id
  SpecialTokens roles_;
};

}  // namespace meshwright::tokenizers
