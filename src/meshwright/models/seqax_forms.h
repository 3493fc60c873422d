// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/models/decoder_lm.h"
#include "meshwright/tensor/array_form.h"

namespace meshwright::models {

/// The parameters of a decoder as seqax has them: "layers/attention/w_q" is its "transformer/w_q",
/// and so on. Empty for a model that computes something else than seqax does.
ArrayForms seqax_forms(const DecoderLmConfig& config);

}  // namespace meshwright::models
