// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/models/decoder_lm.h"
#include "meshwright/tensor/foreign_array.h"

namespace meshwright::systems {

/// Returns the names and layouts of a decoder's parameters in seqax, keyed by native path:
/// "layers/attention/w_q" maps to "transformer/w_q", and so on. Returns an empty map if no seqax
/// model computes the same function as the decoder.
ForeignArrays seqax_params(const models::DecoderLmConfig& config);

}  // namespace meshwright::systems
