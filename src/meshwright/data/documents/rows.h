// SPDX-License-Identifier: Apache-2.0
// Rows of equal length, cut from documents.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "meshwright/base/threefry.h"
#include "meshwright/data/documents/documents.h"
#include "meshwright/data/documents/number_store.h"

namespace meshwright::data {

/// Assigns tokens to rows, once for all epochs. Pure and thread-safe. Plans keep what takes long to
/// compute in a NumberStore.
class RowPlan {
 public:
  virtual ~RowPlan() = default;
  /// Returns text that differs between plans that could have different rows for equal documents.
  virtual std::string description() const = 0;
  virtual std::int64_t num_rows() const = 0;
  /// Returns the slices of a row, in order. Their lengths add up to the row's length, or less if
  /// the row is padded. Requires 0 <= row < num_rows().
  virtual std::vector<Slice> row(std::int64_t row) const = 0;
};
using RowPlanPtr = std::shared_ptr<const RowPlan>;

/// Joins documents, in an order drawn from `key`, to one stream, and cuts it into rows of
/// `row_length` tokens. Each row begins with the last token of the row before, so that every token
/// but the first of the stream is a target once. Tokens at the end that fill no row are left out.
/// Throws invalid_argument if there are fewer tokens than a row has.
RowPlanPtr concatenated_rows(DocumentsPtr documents,
                             std::int64_t row_length,
                             threefry::KeyWords key,
                             const NumberStore& store = NumberStore());

/// Packs whole documents into rows of at most `row_length` tokens, leaving as little padding as a
/// best fit over windows of documents does. A document that is longer than a row is cut into
/// several, or truncated.
enum class LongDocuments { cut, truncate, drop };
RowPlanPtr packed_rows(DocumentsPtr documents,
                       std::int64_t row_length,
                       threefry::KeyWords key,
                       LongDocuments long_documents,
                       const NumberStore& store = NumberStore());

/// One document per row; longer ones are treated as `long_documents` says.
RowPlanPtr single_rows(DocumentsPtr documents,
                       std::int64_t row_length,
                       LongDocuments long_documents,
                       const NumberStore& store = NumberStore());

}  // namespace meshwright::data
