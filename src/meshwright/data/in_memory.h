// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/combinators.h"
#include "meshwright/data/source.h"

namespace meshwright::data {

/// What becomes of the examples at the end of a pass that do not fill a batch.
enum class Remainder {
  wrap,  // the batch goes on with the next pass
  drop,  // they are left out, others in each pass if shuffled
  pad,   // the batch is filled with zeros; all batches get `example_weight`
};

struct InMemoryOptions {
  std::int64_t batch_size = 0;
  std::int64_t seed = 0;
  bool shuffle = true;  // in another order in each pass
  Remainder remainder = Remainder::wrap;
  std::optional<std::int64_t> num_epochs = {};  // absent: without end
  std::string name = "in_memory";
};

/// Examples that are arrays in memory: row i of every array is example i.
class InMemorySource : public Source {
 public:
  /// `axes` names the dimensions of each array, the first one `batch`. Throws invalid_argument if
  /// the arrays differ in their number of rows, there are none, or no batch can be made of them.
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
  std::int64_t epoch_length_ = 0;  // in rows of batches: all examples, but for dropped and padding
  BatchSpec spec_;
  std::string digest_;
};

/// One of the arrays; `axes`: "batch len".
struct InMemoryArray {
  std::string name;
  HostTensor values;
  AxisSpec axes;
};
/// The same from a list of arrays.
SourcePtr in_memory(const std::vector<InMemoryArray>& arrays, InMemoryOptions options);

}  // namespace meshwright::data
