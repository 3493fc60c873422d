// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// Answers every call with the answer of another source. Derived classes override what they change.
class ForwardingSource : public Source {
 public:
  std::string name() const override { return source().name(); }
  const BatchSpec& spec() const override { return source().spec(); }
  std::optional<std::int64_t> num_batches() const override { return source().num_batches(); }
  std::optional<double> batches_per_epoch() const override { return source().batches_per_epoch(); }
  Tree<Scalar> identity() const override { return source().identity(); }
  std::string changes_since(const Tree<Scalar>& identity) const override {
    return source().changes_since(identity);
  }
  std::optional<std::int64_t> num_skipped_records() const override {
    return source().num_skipped_records();
  }
  Batch batch(std::int64_t step, Rows rows) const override { return source().batch(step, rows); }
  std::vector<RowPart> row_parts(std::int64_t step, std::int64_t row) const override {
    return source().row_parts(step, row);
  }
  std::string part_of_row(std::int64_t step, std::int64_t row) const override {
    return source().part_of_row(step, row);
  }
  std::vector<PartUse> uses(std::int64_t num_batches) const override {
    return source().uses(num_batches);
  }

 protected:
  virtual const Source& source() const = 0;
};

}  // namespace meshwright::data
