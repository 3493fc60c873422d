// SPDX-License-Identifier: Apache-2.0
// Synthetic sources for tests and benchmarks.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

struct RandomTokensOptions {
  std::int64_t batch_size = 0;
  std::int64_t length = 0;
  std::int64_t vocab_size = 0;
  std::int64_t seed = 0;
};

/// Batches as described in lm_batch.h, with independent random tokens in [0, vocab_size) and all
/// weights 1. Throws invalid_argument if a size is not positive.
class RandomTokens : public Source {
 public:
  explicit RandomTokens(RandomTokensOptions options);

  std::string name() const override { return "random_tokens"; }
  const BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override;
  Batch batch(std::int64_t step, Rows rows) const override;

 private:
  RandomTokensOptions options_;
  BatchSpec spec_;
};

/// Returns the same batch at every step.
class ConstantSource : public Source {
 public:
  /// Throws invalid_argument if `axes` does not match the arrays.
  ConstantSource(Batch batch, const Tree<std::vector<std::string>>& axes);

  std::string name() const override { return "constant"; }
  const BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override { return {}; }
  Batch batch(std::int64_t step, Rows rows) const override;

 private:
  Batch batch_;
  BatchSpec spec_;
};

}  // namespace meshwright::data
