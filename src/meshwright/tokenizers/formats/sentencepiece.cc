// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/sentencepiece.h"

#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/tokenizers/core/spare_pool.h"
#include "meshwright/tokenizers/core/word_cache.h"
#include "meshwright/tokenizers/formats/sentencepiece_decoder.h"
#include "meshwright/tokenizers/formats/sentencepiece_models.h"
#include "meshwright/tokenizers/formats/sentencepiece_proto.h"
#include "meshwright/tokenizers/formats/sentencepiece_vocab.h"
#include "meshwright/tokenizers/normalize/sentencepiece_normalizer.h"

namespace meshwright::tokenizers {
namespace {

class SentencePiece : public Tokenizer {
 public:
  SentencePiece(const SentencePieceModel& model, std::string bytes)
      : bytes_(std::move(bytes)),
        vocab_(model),
        special_tokens_(vocab_.special_tokens(model)),
        normalizer_(model.normalizer),
        encoder_(sentencepiece_encoder(model, vocab_)),
        decoder_(model, vocab_) {}

  std::string description() const override {
    return str("SentencePiece ", encoder_->name(), " with ", vocab_.size(), " pieces");
  }
  std::int64_t vocab_size() const override { return vocab_.size(); }
  const SpecialTokens& special_tokens() const override { return special_tokens_; }

  void encode(std::string_view text, std::vector<Id>& ids, SpecialText) const override {
    const auto normalized = buffers_.take([] { return std::make_unique<std::string>(); });
    normalizer_.normalize(text, *normalized);
    const std::size_t size = normalized->size();
    normalized->append(WordCache::kPadding, '\0');
    encoder_->encode(std::string_view(*normalized).substr(0, size), ids);
  }

  std::string decode(std::span<const Id> ids) const override { return decoder_.decode(ids); }
  std::size_t num_settled(std::span<const Id> ids) const override {
    return decoder_.changes_end() ? 0 : Tokenizer::num_settled(ids);
  }
  std::string bytes(Id id, bool at_start) const override { return decoder_.bytes(id, at_start); }
  std::string piece(Id id) const override {
    MW_CHECK(id >= 0 && id < vocab_.size(), "piece: id ", id, " of a vocabulary of ",
             vocab_.size());
    return vocab_.text(id);
  }
  std::optional<Id> find(std::string_view piece) const override { return vocab_.find(piece); }
  std::string saved() const override { return bytes_; }

 private:
  std::string bytes_;
  SentencePieceVocab vocab_;
  SpecialTokens special_tokens_;
  SentencePieceNormalizer normalizer_;
  std::unique_ptr<SentencePieceEncoder> encoder_;
  SentencePieceDecoder decoder_;
  mutable SparePool<std::string> buffers_;
};

}  // namespace

std::unique_ptr<Tokenizer> sentencepiece_tokenizer(std::string bytes, std::string_view name) {
  const SentencePieceModel model = read_sentencepiece_model(bytes, name);
  try {
    return std::make_unique<SentencePiece>(model, std::move(bytes));
  } catch (const Error& error) {
    throw error.with_context(str("SentencePiece model ", name));
  }
}

}  // namespace meshwright::tokenizers
