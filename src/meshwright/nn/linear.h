// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

struct LinearOptions {
  bool bias = true;
  /// Defaults to truncated normal with variance 1 / inputs.
  Init init = {};
  Init bias_init = zeros();
};

/// A linear layer: contracts the last axes of x with a weight, "embed" to "kv q dim", and adds a
/// bias.
class Linear : public Module {
 public:
  /// `in` and `out` are disjoint lists of axes.
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
  /// True: the weight is "out in" instead of "in out".
  bool is_transposed = false;
  /// Dtype of the result. Defaults to that of x.
  std::optional<DType> dtype = {};
  /// If present, activation(x), multiplied by `factor` unless that is null, replaces x.
  std::optional<kernels::Activation> activation = {};
  Value factor = {};
};

/// Contracts the last axes of x, named by `in`, with a weight "in out". `in` and `out` are disjoint
/// lists of activation axes.
Value product(const std::string& in,
              const std::string& out,
              Value x,
              Value weight,
              const ProductOptions& options = {},
              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::nn
