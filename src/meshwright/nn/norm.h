// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/nn/context.h"

namespace meshwright::nn {

enum class NormKind { rms, layer };

struct NormOptions {
  NormKind kind = NormKind::rms;
  double epsilon = 1e-6;
  bool bias = false;
};

/// RMS or layer norm. Scales the last axis to mean square 1 (rms), or shifts it to mean 0 and
/// scales it to variance 1 (layer). Then multiplies by a learned scale and, if enabled, adds a
/// learned bias. Computes in f32, or in f64 for f64 inputs.
class Norm : public Module {
 public:
  Norm(Module* parent, std::string name, const std::string& axis, NormOptions options = {});

  Value operator()(Ctx& p, Value x) const;

 private:
  NormOptions options_;
  Param scale_, bias_;
};

}  // namespace meshwright::nn
