// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/data/core/permutation.h"
#include "meshwright/data/documents/rows.h"

namespace meshwright::data {
namespace {

// One offset in the stream is kept for this many documents; the rest is added up when asked for.
constexpr std::int64_t kStride = 32;

class ConcatenatedRows : public RowPlan {
 public:
  ConcatenatedRows(DocumentsPtr documents,
                   std::int64_t row_length,
                   threefry::KeyWords key,
                   const NumberStore& store)
      : description_(str("concatenated ", key[0], " ", key[1], " ", row_length)),
        documents_(std::move(documents)),
        row_length_(row_length),
        order_(key, documents_->num_documents()) {
    // The order and its offsets are the same for rows of any length.
    const std::string name =
        str("offsets ", key[0], " ", key[1], " of ", documents_->fingerprint());
    offsets_ = store.get(name, [this](const AppendNumber& append) {
      std::int64_t offset = 0;
      for (std::int64_t place = 0; place < documents_->num_documents(); ++place) {
        if (place % kStride == 0) append(offset);
        offset += documents_->length(order_(place));
      }
      append(offset);
    });
    const std::int64_t total = offsets_[offsets_.size() - 1];
    MW_CHECK(total >= row_length, "data: ", total, " tokens are fewer than the ", row_length,
             " of a row");
    num_rows_ = (total - 1) / (row_length - 1);
  }

  std::string description() const override { return description_; }
  std::int64_t num_rows() const override { return num_rows_; }

  std::vector<Slice> row(std::int64_t row) const override {
    std::int64_t wanted = row * (row_length_ - 1);  // first token of the row in the stream
    const std::span<const std::int64_t> offsets = offsets_.values();
    const auto after = std::ranges::upper_bound(offsets, wanted) - offsets.begin();
    std::int64_t place = (after - 1) * kStride;
    wanted -= offsets_[after - 1];
    std::vector<Slice> out;
    for (std::int64_t missing = row_length_; missing > 0; ++place) {
      const std::int64_t document = order_(place);
      const std::int64_t length = documents_->length(document);
      const std::int64_t taken = std::min(length - wanted, missing);
      if (taken > 0) {
        out.push_back({document, wanted, taken});
        missing -= taken;
      }
      wanted = std::max<std::int64_t>(wanted - length, 0);
    }
    return out;
  }

 private:
  std::string description_;
  DocumentsPtr documents_;
  std::int64_t row_length_;
  Permutation order_;
  std::int64_t num_rows_ = 0;
  Numbers offsets_;  // in the stream, of the documents at places 0, kStride, ..., and of its end
};

}  // namespace

RowPlanPtr concatenated_rows(DocumentsPtr documents,
                             std::int64_t row_length,
                             threefry::KeyWords key,
                             const NumberStore& store) {
  MW_CHECK(row_length >= 2, "data: a row needs at least 2 tokens, got ", row_length);
  MW_CHECK(documents->num_documents() > 0, "data: there are no documents");
  return std::make_shared<ConcatenatedRows>(std::move(documents), row_length, key, store);
}

}  // namespace meshwright::data
