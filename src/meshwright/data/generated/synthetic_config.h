// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/config/fields.h"
#include "meshwright/data/core/combinators.h"

namespace meshwright::data {

struct RandomTokensConfig {
  static constexpr char kType[] = "random_tokens";
  std::int64_t batch_size = 8;
  std::int64_t length = 128;
  std::int64_t vocab_size = 256;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "Sequences per batch.");
    f.required("length", length, config::kPositive, "Tokens per sequence.");
    f.required("vocab_size", vocab_size, config::kPositive, "Vocabulary size.");
  }
  SourcePtr make(std::int64_t seed) const;
  std::int64_t num_tokens() const { return vocab_size; }
};

}  // namespace meshwright::data
