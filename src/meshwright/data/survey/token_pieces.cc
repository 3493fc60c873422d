// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/token_pieces.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "meshwright/data/documents/documents.h"

namespace meshwright::data {
namespace {

constexpr std::int64_t kBlock = 1 << 18;     // tokens that are read at once
constexpr std::int64_t kSmallest = 1 << 12;  // and after an error

class PieceReader {
 public:
  PieceReader(const TokenFile& file,
              const std::function<void(const TokenPiece&)>& visit,
              const std::function<void(const Error&)>& on_damage)
      : file_(file), visit_(visit), on_damage_(on_damage) {}

  void run() {
    const std::int64_t size = file_.tokens->size();
    for (std::int64_t begin = 0; begin < size; begin += kBlock)
      read(begin, std::min(begin + kBlock, size));
    visit_empty(size);
  }

 private:
  std::int64_t begin_of(std::int64_t document) const { return file_.begins[document]; }

  // Halves the range after an error, so that tokens beside the damage are read.
  void read(std::int64_t begin, std::int64_t end) {
    block_.resize(static_cast<std::size_t>(end - begin));
    try {
      file_.tokens->read(begin, block_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;
      if (end - begin > kSmallest) {
        const std::int64_t middle = begin + (end - begin) / 2;
        read(begin, middle);
        read(middle, end);
        return;
      }
      on_damage_(error);
      block_.clear();
    }
    visit(begin, end);
  }

  // Visits the pieces of tokens [begin, end), which are in the block unless it is empty.
  void visit(std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end;) {
      visit_empty(at);
      const std::int64_t document_end = begin_of(document_ + 1);
      const std::int64_t piece_end = std::min(end, document_end);
      std::span<const std::int32_t> tokens = block_;
      if (!tokens.empty())
        tokens = tokens.subspan(static_cast<std::size_t>(at - begin),
                                static_cast<std::size_t>(piece_end - at));
      const bool is_last = piece_end == document_end;
      visit_({.document = document_, .position = at, .tokens = tokens, .is_last = is_last});
      if (is_last) ++document_;
      at = piece_end;
    }
  }

  // Visits the documents without tokens that lie before this one.
  void visit_empty(std::int64_t position) {
    for (; document_ < file_.num_documents() && begin_of(document_ + 1) == position; ++document_)
      visit_({.document = document_, .position = position, .is_last = true});
  }

  const TokenFile& file_;
  const std::function<void(const TokenPiece&)>& visit_;
  const std::function<void(const Error&)>& on_damage_;
  std::vector<std::int32_t> block_;
  std::int64_t document_ = 0;  // of the next piece
};

}  // namespace

void for_each_piece(const TokenFile& file,
                    const std::function<void(const TokenPiece&)>& visit,
                    const std::function<void(const Error&)>& on_damage) {
  PieceReader(file, visit, on_damage).run();
}

std::optional<std::uint64_t> PieceHash::add(const TokenPiece& piece) {
  if (!digest_ && piece.is_last) return hash_of_tokens(piece.tokens);
  if (!digest_) digest_.emplace();
  digest_->update({reinterpret_cast<const char*>(piece.tokens.data()), piece.tokens.size_bytes()});
  if (!piece.is_last) return std::nullopt;
  const std::uint64_t out = digest_->hash64();
  digest_.reset();
  return out;
}

}  // namespace meshwright::data
