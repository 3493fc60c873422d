// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/epoch_order.h"
#include "meshwright/data/core/source.h"

namespace meshwright::data {

using InMemoryOptions = EpochOptions;

/// Examples from arrays in memory: row i of every array belongs to example i.
class InMemorySource : public Source {
 public:
  /// `axes` names the dimensions of each array, starting with `batch`. Throws invalid_argument if
  /// the arrays are empty, have different numbers of rows, or cannot fill a batch.
  InMemorySource(Batch examples,
                 const Tree<std::vector<std::string>>& axes,
                 InMemoryOptions options);

  std::string name() const override { return options_.name; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return order_->num_batches(); }
  std::optional<double> batches_per_epoch() const override { return order_->batches_per_epoch(); }
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

  std::int64_t num_examples() const { return order_->num_examples(); }

 private:
  Batch examples_;
  InMemoryOptions options_;
  std::optional<EpochOrder> order_;
  BatchSpec spec_;
  std::string digest_;
};

/// One named array. `axes` is text such as "batch len".
struct InMemoryArray {
  std::string name;
  HostTensor values;
  AxisSpec axes;
};
/// Makes an InMemorySource from a list of arrays.
SourcePtr in_memory(const std::vector<InMemoryArray>& arrays, InMemoryOptions options);

}  // namespace meshwright::data
