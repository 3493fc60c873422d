// SPDX-License-Identifier: Apache-2.0
// The formats of files that hold the ids of tokens.
#pragma once

#include <array>
#include <string_view>

namespace meshwright::data {

enum class TokenFormat {
  megatron,     // NAME.bin and NAME.idx of Megatron-LM
  llmc,         // .bin of llm.c
  raw,          // integers and nothing else, as nanoGPT's .bin
  npy,          // a one-dimensional array of NumPy
  npz,          // an archive of them
  flat_tokens,  // a folder of seqax
};

/// Returns the name in configs and on the command line, such as "megatron".
std::string_view token_format_name(TokenFormat format);
inline constexpr std::array kAllTokenFormats = {TokenFormat::megatron, TokenFormat::llmc,
                                                TokenFormat::raw,      TokenFormat::npy,
                                                TokenFormat::npz,      TokenFormat::flat_tokens};

}  // namespace meshwright::data
