// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/token_rules.h"

#include <algorithm>
#include <optional>

#include "meshwright/base/error.h"
#include "meshwright/data/token_files/flat_tokens.h"

namespace meshwright::data {
namespace {

DType dtype_of(RawDType dtype) {
  switch (dtype) {
    case RawDType::u8:
      return DType::u8;
    case RawDType::u16:
      return DType::u16;
    case RawDType::u32:
      return DType::u32;
    case RawDType::s16:
      return DType::s16;
    case RawDType::s32:
      return DType::s32;
    case RawDType::s64:
      return DType::s64;
  }
  fail(ErrorCode::internal, "unknown dtype");
}

}  // namespace

TokenFileOptions token_file_options(const TokensConfig& config, const std::string& split) {
  return {.format = config.format,
          .dtype = config.dtype ? std::optional(dtype_of(*config.dtype)) : std::nullopt,
          .begin_token = config.begin_token,
          .end_token = config.end_token,
          .split = split};
}

TextConfig row_settings(const TokensConfig& config) {
  TextConfig out;
  out.path = config.path;
  out.tokenizer = config.tokenizer.value_or("");
  out.add_bos = false;  // documents are complete
  out.add_eos = false;
  out.held_out = config.held_out.value_or(TextConfig().held_out);
  out.batch_size = config.batch_size;
  out.length = config.length;
  out.rows = config.rows;
  out.context = config.seqax ? Context::document : config.context;
  out.long_documents = config.long_documents;
  out.shuffle = config.shuffle;
  out.shuffle_window = config.shuffle_window;
  out.num_epochs = config.num_epochs;
  return out;
}

bool holds_out_validation(const TokensConfig& config) {
  return !config.held_out && config.split != kValidationSplit &&
         std::ranges::all_of(config.path, [](const std::string& path) {
           return is_flat_tokens(path) && has_split(path, kValidationSplit);
         });
}

SeqaxSourceOptions seqax_options(const TokensConfig& config,
                                 std::int64_t vocab_size,
                                 std::int64_t seed) {
  constexpr std::int64_t kBlockTokens = std::int64_t{1} << 20;  // as seqax recommends
  const SeqaxOrderConfig& order = *config.seqax;
  return {.order = {.seed = order.seed.value_or(seed),
                    .batch_size = config.batch_size,
                    .streams = order.streams,
                    .read_blocks_per_shuffle_buffer = order.read_blocks_per_shuffle_buffer,
                    .sequences_per_read_block = order.sequences_per_read_block.value_or(
                        std::max<std::int64_t>(1, kBlockTokens / config.length))},
          .length = config.length,
          .packs_sequences = config.rows == RowKind::concatenated,
          .vocab_size = vocab_size};
}

}  // namespace meshwright::data
