// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/models/decoder_lm.h"
#include "meshwright/tensor/array_form.h"

namespace meshwright::models {

/// Returns the names and layouts of a decoder's parameters in seqax: "layers/attention/w_q" is
/// "transformer/w_q", and so on. Empty if the model computes something that seqax does not.
ArrayForms seqax_forms(const DecoderLmConfig& config);

}  // namespace meshwright::models
