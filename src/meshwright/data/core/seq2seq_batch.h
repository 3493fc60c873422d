// SPDX-License-Identifier: Apache-2.0
// Batches for encoder-decoders: an input sequence [batch src] and its output sequence [batch len],
// with targets and weights named as in lm_batch.h.
#pragma once

#include <string_view>

#include "meshwright/data/core/lm_batch.h"

namespace meshwright::data {

inline constexpr std::string_view kEncoderInputs = "encoder_inputs";  // s32, padded with kPadToken
/// s32: the targets shifted right by one, starting with kPadToken.
inline constexpr std::string_view kDecoderInputs = "decoder_inputs";

/// Tokens for padding, which also precedes the first target, and for the end of a sequence, as in
/// T5.
inline constexpr std::int32_t kPadToken = 0;
inline constexpr std::int32_t kEndToken = 1;

inline BatchSpec seq2seq_batch_spec(std::int64_t batch_size,
                                    std::int64_t src_length,
                                    std::int64_t length) {
  BatchSpec out;
  out[kEncoderInputs] = array_spec(s32, {batch_size, src_length}, "batch src");
  out[kDecoderInputs] = array_spec(s32, {batch_size, length}, "batch len");
  out[kTargets] = array_spec(s32, {batch_size, length}, "batch len");
  out[kWeights] = array_spec(f32, {batch_size, length}, "batch len");
  return out;
}

}  // namespace meshwright::data
