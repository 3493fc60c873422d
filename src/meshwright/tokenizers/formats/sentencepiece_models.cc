// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/sentencepiece_models.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "meshwright/tokenizers/bpe/spm_bpe.h"
#include "meshwright/tokenizers/core/byte_trie.h"
#include "meshwright/tokenizers/core/marked_text.h"
#include "meshwright/tokenizers/core/spare_pool.h"
#include "meshwright/tokenizers/core/unknown_rule.h"
#include "meshwright/tokenizers/unigram/unigram.h"

namespace meshwright::tokenizers {
namespace {

using Type = SentencePieceVocab::Type;

// Scores are floats, computed as in the library, since its sums depend on their rounding.
Unigram make_unigram(const SentencePieceModel& model, const SentencePieceVocab& vocab) {
  float lowest = std::numeric_limits<float>::max();
  std::vector<UnigramPiece> pieces;
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    if (piece.type == Type::normal) lowest = std::min(lowest, piece.score);
    // A user-defined piece wins over everything that it could be made of.
    const double bonus = 0.1 * (static_cast<double>(piece.text.size()) - 1);
    const float score = piece.type == Type::user_defined ? static_cast<float>(bonus) : piece.score;
    const bool active = piece.type == Type::normal || piece.type == Type::user_defined;
    pieces.push_back({.text = marked(piece.text), .score = double{score}, .active = active});
  }
  return Unigram(std::move(pieces),
                 {.unknown = vocab.unknown_rule(), .unknown_score = double{lowest - 10.0f}});
}

SpmBpe make_bpe(const SentencePieceModel& model, const SentencePieceVocab& vocab) {
  using PieceKind = SpmBpePiece::Kind;
  std::vector<SpmBpePiece> pieces;
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    std::string text = marked(piece.text);
    PieceKind kind = PieceKind::inactive;
    if (piece.type == Type::normal) kind = PieceKind::normal;
    if (piece.type == Type::user_defined) kind = PieceKind::user_defined;
    if (piece.type == Type::unused) kind = PieceKind::unused;
    pieces.push_back({std::move(text), piece.score, kind});
  }
  return SpmBpe(pieces, vocab.unknown_rule());
}

class UnigramEncoder : public SentencePieceEncoder {
 public:
  UnigramEncoder(const SentencePieceModel& model, const SentencePieceVocab& vocab)
      : unigram_(make_unigram(model, vocab)) {}
  std::string_view name() const override { return "unigram"; }
  void encode(std::string_view text, std::vector<Id>& ids) const override {
    const auto memory = pool_.take([] { return std::make_unique<Unigram::Memory>(); });
    unigram_.encode(text, *memory, ids);
  }

 private:
  Unigram unigram_;
  mutable SparePool<Unigram::Memory> pool_;
};

class BpeEncoder : public SentencePieceEncoder {
 public:
  BpeEncoder(const SentencePieceModel& model, const SentencePieceVocab& vocab)
      : bpe_(make_bpe(model, vocab)) {}
  std::string_view name() const override { return "BPE"; }
  void encode(std::string_view text, std::vector<Id>& ids) const override {
    const auto memory = pool_.take([&] { return bpe_.new_memory(); });
    bpe_.encode(text, *memory, ids);
  }

 private:
  SpmBpe bpe_;
  mutable SparePool<SpmBpe::Memory> pool_;
};

// Every word between spaces, or every character, is a piece or unknown.
class SimpleEncoder : public SentencePieceEncoder {
 public:
  SimpleEncoder(const SentencePieceModel& model, const SentencePieceVocab& vocab)
      : is_word_(model.type == SentencePieceModel::Type::word), unknown_(vocab.unknown_rule()) {
    for (Id id = 0; id < vocab.size(); ++id) {
      if (!vocab.is_in_text(vocab.type(id))) continue;
      pieces_.emplace(marked(vocab.text(id)),
                      vocab.type(id) == Type::unused ? vocab.unknown() : id);
    }
    std::vector<ByteTrie::Entry> entries;
    for (const auto& [text, id] : pieces_)
      if (id >= 0 && vocab.type(id) == Type::user_defined) entries.push_back({text, id});
    user_defined_ = ByteTrie(std::move(entries));
  }
  std::string_view name() const override { return is_word_ ? "word" : "character"; }

  void encode(std::string_view text, std::vector<Id>& ids) const override {
    TokenAppender out(unknown_, ids);
    std::string piece;
    while (!text.empty()) {
      piece = text.substr(0, is_word_ ? word_length(text) : symbol_length(text));
      const auto found = pieces_.find(piece);
      if (found == pieces_.end() || found->second == unknown_.unknown)
        out.append_unknown(piece);
      else
        out.append(found->second);
      text.remove_prefix(piece.size());
    }
  }

 private:
  static std::size_t word_length(std::string_view text) {
    return std::min(text.find(kMark, 1), text.size());
  }
  std::size_t symbol_length(std::string_view text) const {
    const std::size_t length = user_defined_.longest_prefix(text).length;
    return length > 0 ? length : char_length(text[0]);
  }

  bool is_word_;
  UnknownRule unknown_;
  std::unordered_map<std::string, Id> pieces_;  // marked
  ByteTrie user_defined_;
};

}  // namespace

std::unique_ptr<SentencePieceEncoder> sentencepiece_encoder(const SentencePieceModel& model,
                                                            const SentencePieceVocab& vocab) {
  switch (model.type) {
    case SentencePieceModel::Type::unigram:
      return std::make_unique<UnigramEncoder>(model, vocab);
    case SentencePieceModel::Type::bpe:
      return std::make_unique<BpeEncoder>(model, vocab);
    case SentencePieceModel::Type::word:
    case SentencePieceModel::Type::character:
      break;
  }
  return std::make_unique<SimpleEncoder>(model, vocab);
}

}  // namespace meshwright::tokenizers
