// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/config/fields.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/text_codec.h"
#include "meshwright/data/generated/arithmetic.h"

namespace meshwright::data {

/// Settings shared by training data and held-out problems.
struct ArithmeticShape {
  std::int64_t batch_size = 256;
  std::int64_t num_digits = 3;

  void fields(auto& f) {
    f.required("batch_size", batch_size, config::kPositive, "Problems per batch.");
    f.optional("num_digits", num_digits, config::between(1, 4), "Digits of each term.");
  }
  std::string contents() const { return str("additions of ", num_digits, " digits"); }
};

struct ArithmeticConfig : ArithmeticShape {
  static constexpr char kType[] = "arithmetic";

  SourcePtr make(std::int64_t seed) const;
  TextCodec codec() const;
  std::int64_t num_tokens() const { return std::ssize(kArithmeticVocab); }
};

/// The problems that `arithmetic` never generates.
struct HeldOutArithmeticConfig : ArithmeticShape {
  static constexpr char kType[] = "held_out_arithmetic";

  SourcePtr make(std::int64_t seed) const;
};

}  // namespace meshwright::data
