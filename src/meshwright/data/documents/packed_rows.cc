// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/data/core/permutation.h"
#include "meshwright/data/documents/best_fit.h"
#include "meshwright/data/documents/rows.h"

namespace meshwright::data {
namespace {

// Documents that are packed together. Rows of different windows share none.
constexpr std::int64_t kWindow = 1 << 16;

std::string_view name_of(LongDocuments long_documents) {
  switch (long_documents) {
    case LongDocuments::cut:
      return "cut";
    case LongDocuments::truncate:
      return "truncate";
    case LongDocuments::drop:
      return "drop";
  }
  return "";
}

// A part of a document that fits a row. Each piece begins with the last token of the one before,
// which is its target there.
struct Piece {
  std::int64_t document = 0;
  std::int64_t number = 0;  // in the document
};

Slice slice_of(const Piece& piece, std::int64_t document_length, std::int64_t row_length) {
  const std::int64_t begin = piece.number * (row_length - 1);
  return {piece.document, begin, std::min(row_length, document_length - begin)};
}

// Pieces are stored as one number each, with a bit for the first one of a row.
constexpr int kDocumentBits = 36, kPieceBits = 26;
constexpr std::int64_t kMaxDocuments = std::int64_t{1} << kDocumentBits;
constexpr std::int64_t kMaxPieces = std::int64_t{1} << kPieceBits;
constexpr std::int64_t kBeginsRow = std::int64_t{1} << (kDocumentBits + kPieceBits);

std::int64_t stored(const Piece& piece, bool begins_row) {
  MW_CHECK(piece.document < kMaxDocuments, "data: more than ", kMaxDocuments, " documents");
  MW_CHECK(piece.number < kMaxPieces, "data: document ", piece.document, " fills more than ",
           kMaxPieces, " rows");
  return piece.document | piece.number << kDocumentBits | (begins_row ? kBeginsRow : 0);
}

Piece restored(std::int64_t number) {
  return {number % kMaxDocuments, number / kMaxDocuments % kMaxPieces};
}

/// Rows as lists of pieces.
class ListedRows : public RowPlan {
 public:
  // `list` appends the stored pieces of all rows.
  ListedRows(std::string description,
             DocumentsPtr documents,
             std::int64_t row_length,
             const NumberStore& store,
             const std::function<void(const AppendNumber&)>& list)
      : description_(std::move(description)),
        documents_(std::move(documents)),
        row_length_(row_length) {
    const std::string key = str(description_, " of ", documents_->fingerprint());
    pieces_ = store.get(str("pieces ", key), list);
    begins_ = store.get(str("rows ", key), [this](const AppendNumber& append) {
      for (std::int64_t i = 0; i < pieces_.size(); ++i)
        if ((pieces_[i] & kBeginsRow) != 0) append(i);
      append(pieces_.size());
    });
    MW_CHECK(num_rows() > 0, "data: no document has a token to predict");
  }

  std::string description() const override { return description_; }
  std::int64_t num_rows() const override { return begins_.size() - 1; }
  std::vector<Slice> row(std::int64_t row) const override {
    std::vector<Slice> out;
    for (std::int64_t i = begins_[row]; i < begins_[row + 1]; ++i) {
      const Piece piece = restored(pieces_[i]);
      out.push_back(slice_of(piece, documents_->length(piece.document), row_length_));
    }
    return out;
  }

 private:
  std::string description_;
  DocumentsPtr documents_;
  std::int64_t row_length_;
  Numbers pieces_;
  Numbers begins_;  // of each row, in pieces_, and the end of the last one
};

struct SizedPiece {
  Piece piece;
  std::int64_t length = 0;
};

// Appends the pieces of a document that go into rows. A piece of one token has no target.
void append_pieces(std::int64_t document,
                   std::int64_t length,
                   std::int64_t row_length,
                   LongDocuments long_documents,
                   std::vector<SizedPiece>& out) {
  if (length > row_length) {
    if (long_documents == LongDocuments::drop) return;
    if (long_documents == LongDocuments::truncate) length = row_length;
  }
  for (Piece piece{document, 0}; piece.number * (row_length - 1) + 1 < length; ++piece.number)
    out.push_back({piece, slice_of(piece, length, row_length).length});
}

void pack_window(std::vector<SizedPiece> pieces,
                 std::int64_t row_length,
                 const AppendNumber& append) {
  std::ranges::stable_sort(pieces, std::ranges::greater(), &SizedPiece::length);
  BestFit bins(row_length);
  std::vector<std::vector<std::uint32_t>> contents;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t bin = bins.place(pieces[i].length);
    if (bin == std::ssize(contents)) contents.emplace_back();
    contents[static_cast<std::size_t>(bin)].push_back(static_cast<std::uint32_t>(i));
  }
  for (const auto& bin : contents) {
    for (std::uint32_t i : bin)
      append(stored(pieces[i].piece, i == bin.front()));
  }
}

}  // namespace

RowPlanPtr packed_rows(DocumentsPtr documents,
                       std::int64_t row_length,
                       threefry::KeyWords key,
                       LongDocuments long_documents,
                       const NumberStore& store) {
  MW_CHECK(row_length >= 2, "data: a row needs at least 2 tokens, got ", row_length);
  const std::int64_t num_documents = documents->num_documents();
  MW_CHECK(num_documents > 0, "data: there are no documents");
  auto list = [&](const AppendNumber& append) {
    const Permutation order(key, num_documents);
    for (std::int64_t begin = 0; begin < num_documents; begin += kWindow) {
      std::vector<SizedPiece> pieces;
      const std::int64_t end = std::min(num_documents, begin + kWindow);
      for (std::int64_t place = begin; place < end; ++place) {
        const std::int64_t document = order(place);
        append_pieces(document, documents->length(document), row_length, long_documents, pieces);
      }
      pack_window(std::move(pieces), row_length, append);
    }
  };
  return std::make_shared<ListedRows>(
      str("packed ", name_of(long_documents), " ", key[0], " ", key[1], " ", row_length), documents,
      row_length, store, list);
}

RowPlanPtr single_rows(DocumentsPtr documents,
                       std::int64_t row_length,
                       LongDocuments long_documents,
                       const NumberStore& store) {
  MW_CHECK(row_length >= 2, "data: a row needs at least 2 tokens, got ", row_length);
  auto list = [&](const AppendNumber& append) {
    std::vector<SizedPiece> pieces;
    for (std::int64_t i = 0; i < documents->num_documents(); ++i) {
      pieces.clear();
      append_pieces(i, documents->length(i), row_length, long_documents, pieces);
      for (const SizedPiece& piece : pieces)
        append(stored(piece.piece, true));
    }
  };
  return std::make_shared<ListedRows>(str("single ", name_of(long_documents), " ", row_length),
                                      documents, row_length, store, list);
}

}  // namespace meshwright::data
