// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/models/decoder_lm.h"
#include "meshwright/tensor/array_form.h"

namespace meshwright::models {

/// The parameters of a decoder as AXLearn's Fuji models have them in a repeated stack:
/// "layers/attention/w_k" is a part of its
/// "decoder/transformer/repeat/layer/self_attention/attention/i_proj/i_proj/qkv_proj/weight", and
/// so on. Empty for a model that computes something else than those do.
ArrayForms axlearn_forms(const DecoderLmConfig& config);

}  // namespace meshwright::models
