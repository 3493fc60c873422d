// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/models/decoder_lm.h"
#include "meshwright/tensor/foreign_array.h"

namespace meshwright::systems {

/// Returns the names and layouts of a decoder's parameters in AXLearn's Fuji models with a repeated
/// stack, keyed by native path: "layers/attention/w_k" maps to a part of
/// "decoder/transformer/repeat/layer/self_attention/attention/i_proj/i_proj/qkv_proj/weight", and
/// so on. Returns an empty map if no Fuji model computes the same function as the decoder.
ForeignArrays axlearn_params(const models::DecoderLmConfig& config);

}  // namespace meshwright::systems
