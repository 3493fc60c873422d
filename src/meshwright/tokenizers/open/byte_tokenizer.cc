// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/open/byte_tokenizer.h"

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {
namespace {

constexpr Id kEnd = 256;
constexpr std::string_view kEndName = "<|endoftext|>";

class ByteTokenizer final : public Tokenizer {
 public:
  ByteTokenizer() { special_.eos = kEnd; }

  std::string description() const override { return "bytes"; }
  std::int64_t vocab_size() const override { return kEnd + 1; }
  const SpecialTokens& special_tokens() const override { return special_; }

  // Special tokens are never parsed, so that any bytes can be encoded.
  void encode(std::string_view text, std::vector<Id>& ids, SpecialText) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    ids.insert(ids.end(), bytes, bytes + text.size());
  }

  std::string decode(std::span<const Id> ids) const override {
    std::string out;
    for (const Id id : ids) {
      if (id < 0 || id > kEnd)
        fail(ErrorCode::invalid_argument, "the token id ", id, " is out of range: there are ",
             vocab_size(), " tokens");
      if (id != kEnd) out += static_cast<char>(id);
    }
    return out;
  }

  std::string bytes(Id id, bool) const override {
    return id < 0 || id >= kEnd ? "" : std::string(1, static_cast<char>(id));
  }
  std::string piece(Id id) const override {
    if (id < 0 || id > kEnd) return "";
    return id == kEnd ? std::string(kEndName) : std::string(1, static_cast<char>(id));
  }
  std::optional<Id> find(std::string_view piece) const override {
    if (piece == kEndName) return kEnd;
    if (piece.size() != 1) return std::nullopt;
    return static_cast<unsigned char>(piece[0]);
  }
  std::string saved() const override { return ""; }

 private:
  SpecialTokens special_;
};

}  // namespace

std::unique_ptr<Tokenizer> byte_tokenizer() {
  return std::make_unique<ByteTokenizer>();
}

}  // namespace meshwright::tokenizers
