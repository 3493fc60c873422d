// SPDX-License-Identifier: Apache-2.0
// T5X's names of the parameters of encoder-decoders and of Adafactor's slots. Internal to
// systems/t5x.
#pragma once

#include <string>
#include <vector>

#include "meshwright/models/encoder_decoder.h"
#include "meshwright/tensor/foreign_array.h"

namespace meshwright::systems {

/// Returns the names of T5X's network of T5, which has one array per layer and joins the dimensions
/// of heads. Empty if T5X computes such a model differently.
ForeignArrays t5x_params(const models::EncoderDecoderConfig& config);

/// Implements ForeignSystem::state() for T5X's Adafactor: parameters in `target`, and slots in
/// `state/param_states`, where unused ones have one element.
ForeignArrays t5x_state(const models::EncoderDecoderConfig& config,
                        const ForeignArrays& params,
                        const std::vector<std::string>& paths);

}  // namespace meshwright::systems
