// SPDX-License-Identifier: Apache-2.0
// Corpora of files that hold the ids of tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/documents/number_store.h"
#include "meshwright/data/token_files/token_file.h"
#include "meshwright/data/token_files/token_formats.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::data {

struct TokenFileOptions {
  /// Absent: each file's is recognised by its content.
  std::optional<TokenFormat> format = {};
  /// The dtype of raw files, which do not say it.
  std::optional<DType> dtype = {};
  /// The first or the last token of each document, for formats that do not say where documents are.
  /// Without them, a file or an array of an archive is one document.
  std::optional<std::int32_t> begin_token = {}, end_token = {};
  /// Group of flat tokens: "train" or "validation".
  std::string split = "train";
  /// Keeps what reading all tokens of large files finds.
  NumberStore index = NumberStore();
};

/// A file or folder of tokens, not opened yet.
struct FoundTokens {
  std::string path;  // of Megatron's files, without the extension
  TokenFormat format = TokenFormat::raw;
  auto operator<=>(const FoundTokens&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Returns the files that open_token_files() opens. Throws as it does, unless a file is damaged.
std::vector<FoundTokens> find_token_files(const std::vector<std::string>& patterns,
                                          const TokenFileOptions& options);
/// Opens one file, or each array of an archive. If `stays_open` is false, each read opens the file.
std::vector<TokenFile> open_found(const FoundTokens& found,
                                  const TokenFileOptions& options,
                                  bool stays_open = false);

/// Opens the files that `patterns` name, in this order: paths, globs, folders, and for Megatron
/// paths with .bin, .idx or neither. A folder stands for the files of tokens in it, sorted by name.
/// Reads all tokens if documents are marked by tokens and the index does not have them, otherwise
/// only headers and indexes.
///
/// Throws not_found for a pattern that names no file; data_loss for a damaged file; unimplemented
/// for a variant of a format that is not supported; invalid_argument for a file whose format is
/// not recognised, and for options that its format does not have.
std::vector<TokenFile> open_token_files(const std::vector<std::string>& patterns,
                                        const TokenFileOptions& options);

/// Returns the documents of all files. Reading a token that is negative or not below `vocab_size`
/// throws data_loss, naming the file and the position.
DocumentsPtr token_documents(std::vector<TokenFile> files, std::int64_t vocab_size);

/// Returns the largest token of all files; -1 if there are no tokens. Reads all tokens of files
/// whose format does not say it, unless the index has it.
std::int64_t max_token(const std::vector<TokenFile>& files,
                       const NumberStore& index = NumberStore());

}  // namespace meshwright::data
