// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/permutation.h"
#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// How to treat examples at the end of a pass that do not fill a batch.
enum class Remainder {
  wrap,  // fill the batch from the next pass
  drop,  // omit them; if shuffled, each pass omits others
  pad,   // fill the batch with zeros; all batches get `example_weight`
};

struct EpochOptions {
  std::int64_t batch_size = 0;
  std::int64_t seed = 0;
  bool shuffle = true;  // with a new order in each pass
  /// Shuffle only within windows of this many examples, so that neighbours stay close. The windows
  /// themselves keep their order.
  std::optional<std::int64_t> shuffle_window = {};
  Remainder remainder = Remainder::wrap;
  std::optional<std::int64_t> num_epochs = {};  // absent: endless
  std::string name = "in_memory";               // of the source
};

/// The order in which a source goes through numbered examples, pass after pass.
class EpochOrder {
 public:
  /// Stands for an example of zeros.
  static constexpr std::int64_t kPadding = -1;

  /// Throws invalid_argument if the examples cannot fill a batch.
  EpochOrder(std::int64_t num_examples, EpochOptions options);

  /// Returns the example in each of these rows of batch `step`, or kPadding.
  std::vector<std::int64_t> examples(std::int64_t step, Rows rows) const;

  std::optional<std::int64_t> num_batches() const;
  double batches_per_epoch() const;
  std::int64_t num_examples() const { return num_examples_; }
  /// Adds everything that determines the order to the identity of a source.
  void add_to(Tree<Scalar>& identity) const;

 private:
  // The order within one window, or within all examples.
  struct Window {
    std::int64_t epoch;
    std::int64_t first;  // example
    Permutation order;
  };

  Window window_of(std::int64_t epoch, std::int64_t within) const;

  std::int64_t num_examples_;
  EpochOptions options_;
  std::int64_t epoch_length_;  // rows per pass: all examples, minus dropped ones, plus padding
};

/// Returns f32[batch]: 0 for kPadding, otherwise 1.
HostTensor example_weights(const std::vector<std::int64_t>& examples);

}  // namespace meshwright::data
