// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/nn/context.h"
#include "meshwright/nn/dropout.h"

namespace meshwright::nn {

using kernels::Activation;

struct MlpOptions {
  Activation activation = Activation::silu;
  /// Computes activation(x w_gate) * (x w_up), as in SwiGLU, instead of activation(x w_up).
  bool gated = true;
  bool bias = false;
  double dropout = 0;                        // dropout rate of the hidden layer
  std::string embed = "embed", mlp = "mlp";  // axis names
  Init init_up = {}, init_down = {};         // default to variance 1 / inputs
};

/// Two linear layers with an activation between them.
class Mlp : public Module {
 public:
  Mlp(Module* parent, std::string name, const MlpOptions& options = {});

  Value operator()(Ctx& p, Value x) const;

 private:
  Activation activation_;
  Dropout dropout_;
  Param w_gate_, w_up_, w_down_, b_gate_, b_up_, b_down_;
};

}  // namespace meshwright::nn
