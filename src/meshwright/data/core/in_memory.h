// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// How to handle examples at the end of a pass that do not fill a batch.
enum class Remainder {
  wrap,  // fill the batch from the next pass
  drop,  // omit them; with shuffling, each pass omits different ones
  pad,   // fill the batch with zeros; all batches get `example_weight`
};

struct InMemoryOptions {
  std::int64_t batch_size = 0;
  std::int64_t seed = 0;
  bool shuffle = true;  // with a new order in each pass
  Remainder remainder = Remainder::wrap;
  std::optional<std::int64_t> num_epochs = {};  // absent: endless
  std::string name = "in_memory";
};

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
  std::optional<std::int64_t> num_batches() const override;
  std::optional<double> batches_per_epoch() const override;
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

  std::int64_t num_examples() const { return num_examples_; }

 private:
  std::vector<std::int64_t> examples_of(std::int64_t step, Rows rows) const;

  Batch examples_;
  InMemoryOptions options_;
  std::int64_t num_examples_ = 0;
  std::int64_t epoch_length_ =
      0;  // rows per pass: all examples, minus dropped examples, plus padding
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
