// SPDX-License-Identifier: Apache-2.0
// Writes files of tokens, for Meshwright and for other programs.
//
//   std::unique_ptr<TokenWriter> out =
//       open_token_writer("corpus.bin", TokenFormat::megatron, {.vocab_size = 50257});
//   for (const auto& document : documents) out->add_document(document);
//   out->finish();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "meshwright/data/token_files/token_formats.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::data {

/// Nothing has its final name before finish(); a writer that is destroyed earlier removes what it
/// has written.
class TokenWriter {
 public:
  virtual ~TokenWriter() = default;
  /// Appends a document, which may be empty. Throws invalid_argument for a token that the dtype of
  /// the file cannot represent, or that is not in the vocabulary.
  virtual void add_document(std::span<const std::uint32_t> tokens) = 0;
  /// Returns once the files have their names and would survive a power loss. Throws already_exists
  /// if another file has one of the names by now.
  virtual void finish() = 0;
};

struct TokenWriterOptions {
  std::int64_t vocab_size = 0;
  /// Absent: the dtype that the format's own writer would choose for the vocabulary. Formats with
  /// only one dtype for a vocabulary refuse all others.
  std::optional<DType> dtype = {};
  /// Group of flat tokens: "train" or "validation". The other one may exist already.
  std::string split = "train";
  /// Tokens per chunk of flat tokens.
  std::int64_t chunk_tokens = std::int64_t{1} << 22;
};

/// Throws already_exists if a file has the name, and invalid_argument for options that the format
/// does not have. Only `megatron` and `flat_tokens` store where documents are: in other formats,
/// documents should begin or end with a token that tells.
std::unique_ptr<TokenWriter> open_token_writer(const std::string& path,
                                               TokenFormat format,
                                               const TokenWriterOptions& options);

}  // namespace meshwright::data
