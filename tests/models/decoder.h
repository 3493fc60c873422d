// SPDX-License-Identifier: Apache-2.0
// A decoder-only transformer: rotary grouped-query attention and SwiGLU, both after an RMS norm.
#pragma once

#include "models/model.h"

namespace meshwright::test_models {

struct DecoderConfig {
  int layers = 4;
  int embed = 256;
  int kv = 4;  // key heads
  int q = 2;   // queries per key head
  int dim = 32;
  int mlp = 1024;
  int vocab = 4096;
  int batch = 2;
  int len = 64;
  DType compute = f32;
  bool scanned = false;  // one body over stacked parameters instead of separate layers
  bool remat = false;    // recompute whole layers in the backward pass
  bool kernels = false;  // use kernels for attention, norms and the loss instead of formulas
};

/// Input: tokens s32 [batch, len + 1]. On a mesh with axes "data" and "tensor", shards the batch
/// over the first, heads and mlp over the second.
Model decoder(const DecoderConfig& config);

}  // namespace meshwright::test_models
