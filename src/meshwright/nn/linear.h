// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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
  std::int64_t num_in_;
  Param weight_, bias_;
};

/// x times w, summed over the last `num_contracted` dimensions of x and the first ones of w.
Value product(Value x, Value w, std::int64_t num_contracted, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::nn
