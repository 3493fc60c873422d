// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

struct LinearOptions {
  bool bias = true;
  /// Absent: truncated normal with variance 1 / inputs.
  Init init = {};
  Init bias_init = zeros();
};

/// The product of the last axes of x with a weight, "embed" to "kv q dim", and a bias.
class Linear : public Module {
 public:
  /// `in` and `out` are lists of axes that have no name in common.
  Linear(Module* parent,
         std::string name,
         const std::string& in,
         const std::string& out,
         LinearOptions options = {});

  Value operator()(Ctx& p, Value x, SourceLoc loc = SourceLoc::current()) const;

 private:
  std::string in_, out_;
  Param weight_, bias_;
};

struct ProductOptions {
  Value bias = {};
  /// The weight is out in, instead of in out.
  bool is_transposed = false;
  /// The dtype of the result; absent: that of x.
  std::optional<DType> dtype = {};
  /// Multiplied is activation(x) instead of x, times `factor` unless that is null.
  std::optional<kernels::Activation> activation = {};
  Value factor = {};
};

/// x times a weight, summed over the last axes of x, which are `in`; the weight's others are `out`.
/// Both are lists of axes of activations that have no name in common.
Value product(const std::string& in,
              const std::string& out,
              Value x,
              Value weight,
              const ProductOptions& options = {},
              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::nn
