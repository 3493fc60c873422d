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

/// Rows as lists of slices.
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

class ListedRows : public RowPlan {
 public:
  explicit ListedRows(std::string description) : description_(std::move(description)) {}
  std::string description() const override { return description_; }
  std::int64_t num_rows() const override { return std::ssize(ends_); }
  std::vector<Slice> row(std::int64_t row) const override {
    const std::size_t begin = row == 0 ? 0 : ends_[static_cast<std::size_t>(row - 1)];
    const std::size_t end = ends_[static_cast<std::size_t>(row)];
    return {slices_.begin() + static_cast<std::ptrdiff_t>(begin),
            slices_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  void add(const Slice& slice) { slices_.push_back(slice); }
  void end_row() { ends_.push_back(slices_.size()); }

 private:
  std::string description_;
  std::vector<Slice> slices_;
  std::vector<std::size_t> ends_;  // of each row, in slices_
};

// Appends the slices of a document that go into rows. A slice of one token has no target.
void append_slices(std::int64_t document,
                   std::int64_t length,
                   std::int64_t row_length,
                   LongDocuments long_documents,
                   std::vector<Slice>& out) {
  if (length > row_length) {
    if (long_documents == LongDocuments::drop) return;
    if (long_documents == LongDocuments::truncate) length = row_length;
  }
  // Each piece begins with the last token of the one before, which is its target there.
  for (std::int64_t begin = 0; begin + 1 < length; begin += row_length - 1)
    out.push_back({document, begin, std::min(row_length, length - begin)});
}

void pack_window(std::vector<Slice> slices, std::int64_t row_length, ListedRows& rows) {
  std::ranges::stable_sort(slices, std::ranges::greater(), &Slice::length);
  BestFit bins(row_length);
  std::vector<std::vector<std::uint32_t>> contents;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::int64_t bin = bins.place(slices[i].length);
    if (bin == std::ssize(contents)) contents.emplace_back();
    contents[static_cast<std::size_t>(bin)].push_back(static_cast<std::uint32_t>(i));
  }
  for (const auto& bin : contents) {
    for (std::uint32_t i : bin)
      rows.add(slices[i]);
    rows.end_row();
  }
}

void check_not_empty(const RowPlan& rows) {
  MW_CHECK(rows.num_rows() > 0, "data: no document has a token to predict");
}

}  // namespace

RowPlanPtr packed_rows(DocumentsPtr documents,
                       std::int64_t row_length,
                       threefry::KeyWords key,
                       LongDocuments long_documents) {
  MW_CHECK(row_length >= 2, "data: a row needs at least 2 tokens, got ", row_length);
  MW_CHECK(documents->num_documents() > 0, "data: there are no documents");
  auto rows = std::make_shared<ListedRows>(
      str("packed ", name_of(long_documents), " ", key[0], " ", key[1], " ", row_length));
  const Permutation order(key, documents->num_documents());
  for (std::int64_t begin = 0; begin < documents->num_documents(); begin += kWindow) {
    std::vector<Slice> slices;
    const std::int64_t end = std::min(documents->num_documents(), begin + kWindow);
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t document = order(place);
      append_slices(document, documents->length(document), row_length, long_documents, slices);
    }
    pack_window(std::move(slices), row_length, *rows);
  }
  check_not_empty(*rows);
  return rows;
}

RowPlanPtr single_rows(DocumentsPtr documents,
                       std::int64_t row_length,
                       LongDocuments long_documents) {
  MW_CHECK(row_length >= 2, "data: a row needs at least 2 tokens, got ", row_length);
  auto rows =
      std::make_shared<ListedRows>(str("single ", name_of(long_documents), " ", row_length));
  std::vector<Slice> slices;
  for (std::int64_t i = 0; i < documents->num_documents(); ++i) {
    slices.clear();
    append_slices(i, documents->length(i), row_length, long_documents, slices);
    for (const Slice& slice : slices) {
      rows->add(slice);
      rows->end_row();
    }
  }
  check_not_empty(*rows);
  return rows;
}

}  // namespace meshwright::data
