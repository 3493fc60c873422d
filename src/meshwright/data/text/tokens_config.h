// SPDX-License-Identifier: Apache-2.0
// The table [data] of language models that are trained on files of token ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/core/skip_steps_config.h"
#include "meshwright/data/text/row_order_fields.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/data/token_files/token_formats.h"

namespace meshwright::data {

/// The dtypes of raw files.
enum class RawDType { u8, u16, u32, s16, s32, s64 };
inline config::Choices<RawDType> config_choices(RawDType) {
  return {{"uint8", RawDType::u8},  {"uint16", RawDType::u16}, {"uint32", RawDType::u32},
          {"int16", RawDType::s16}, {"int32", RawDType::s32},  {"int64", RawDType::s64}};
}

inline config::Choices<TokenFormat> config_choices(TokenFormat) {
  return {{"megatron", TokenFormat::megatron}, {"llmc", TokenFormat::llmc},
          {"raw", TokenFormat::raw},           {"npy", TokenFormat::npy},
          {"npz", TokenFormat::npz},           {"flat_tokens", TokenFormat::flat_tokens}};
}

/// The order of seqax's loader.
struct SeqaxOrderConfig {
  std::optional<std::int64_t> seed = {};
  std::int64_t streams = 1;
  std::int64_t read_blocks_per_shuffle_buffer = 1024;
  config::OrAuto<std::int64_t> sequences_per_read_block = {};

  void fields(auto& f) {
    f.optional("seed", seed, config::kNotNegative, "Seed. `none`: the run's.");
    f.optional("streams", streams, config::kPositive,
               "Number of shuffle buffers. Must divide the batch.");
    f.optional("read_blocks_per_shuffle_buffer", read_blocks_per_shuffle_buffer, config::kPositive,
               "Size of a shuffle buffer.");
    f.optional("sequences_per_read_block", sequences_per_read_block, config::kPositive,
               "Sequences that stay together until they are shuffled in a buffer. `auto`: those of "
               "2^20 tokens.");
  }
};

/// Files of token ids.
struct TokensConfig {
  static constexpr char kType[] = "tokens";
  config::OneOrMore<std::string> path;
  config::OrAuto<TokenFormat> format = {};
  std::optional<RawDType> dtype = {};
  std::optional<std::int32_t> begin_token = {}, end_token = {};
  std::string split = "train";
  std::optional<std::string> tokenizer = {};
  config::OrAuto<std::int64_t> vocab = {};
  config::OrAuto<double> held_out = {};
  std::int64_t batch_size = 16;
  std::int64_t length = 256;
  RowKind rows = RowKind::concatenated;
  Context context = Context::row;
  LongDocuments long_documents = LongDocuments::cut;
  bool shuffle = true;
  std::optional<std::int64_t> shuffle_window = {};
  std::optional<std::int64_t> num_epochs = {};
  SkipStepsConfig skip_steps = {};
  std::optional<SeqaxOrderConfig> seqax = {};

  void fields(auto& f) {
    using namespace config;  // NOLINT(google-build-using-namespace): a scope of field names
    f.required("path", path, kNonEmpty,
               "Files of token ids, globs such as corpus/*.bin, or folders. For Megatron, with "
               ".bin, .idx or neither.");
    f.optional("format", format,
               "Format of the files. `auto`: recognised by their content; files of no known format "
               "are `raw` if `dtype` is set.");
    f.optional("dtype", dtype, "Type of the integers in `raw` files.");
    f.optional("begin_token", begin_token, kNotNegative,
               "Token that begins each document, in formats that do not store where documents are. "
               "`none` for this and for `end_token`: each file is one document.");
    f.optional("end_token", end_token, kNotNegative,
               "Token that ends each document, in formats that do not store where documents are.");
    f.optional("split", split, one_of({"train", "validation"}),
               "Part of a flat-tokens data set to train on.");
    f.optional("tokenizer", tokenizer, kNonEmpty,
               "Tokenizer that made the ids, for samples and `generate`: a path as for `text`. "
               "`none`: prompts and samples are numbers of tokens.");
    f.optional("vocab", vocab, kPositive,
               "Number of different tokens; a larger id in a file is an error. `auto`: that of the "
               "tokenizer; without one, as many as the largest id in the files requires, which may "
               "have to be read for this.")
        .unit("tokens");
    f.optional("held_out", held_out, kBelowOne,
               "Fraction of the documents to keep for evaluation (`held_out_text`), chosen by a "
               "hash of their content. Blocks of a corpus of fewer than 100 documents. `auto`: "
               "the validation split if there is one, otherwise 0.05.");
    f.optional("batch_size", batch_size, kPositive, "Rows per batch.");
    f.optional("length", length, kPositive, "Tokens per row.");
    f.optional("rows", rows,
               "How rows are made. `concatenated`: documents are joined in a random order and cut "
               "into rows. `packed`: rows of whole documents, chosen to leave little padding. "
               "`single`: one document per row.");
    f.optional("context", context,
               "`row`: tokens attend to all earlier tokens of their row. `document`: only to those "
               "of their own document.");
    row_order_fields(f, *this);
    f.optional("seqax", seqax,
               "Batches of seqax's loader from a flat-tokens data set, for one epoch: "
               "`concatenated` rows are its packed sequences, `single` rows the others. `none`: "
               "Meshwright's own order.");
    f.check(
        "vocab", [this] { return !vocab || !tokenizer; }, "be auto with a tokenizer");
    f.check(
        "seqax", [this] { return !seqax || rows != RowKind::packed; },
        "not be combined with rows = \"packed\"");
  }
};

}  // namespace meshwright::data
