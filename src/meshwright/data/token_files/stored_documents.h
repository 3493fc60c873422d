// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/documents/number_store.h"
#include "meshwright/data/token_files/token_file.h"

namespace meshwright::data {

/// Tokens that mark documents in files that have nothing else to tell them apart.
struct DocumentMarks {
  std::optional<std::int32_t> begin, end;  // the first or the last token of each document
};

/// Returns where documents begin, followed by the number of tokens. Without marks, all tokens are
/// one document. Otherwise all tokens are read; for a large file this is kept in `index`.
Numbers find_documents(const TokenFile& file, const DocumentMarks& marks, const NumberStore& index);

/// Returns the documents of a file whose `begins` are known. Reading a token that is not in
/// [0, vocab_size) throws data_loss with the file and the position.
DocumentsPtr stored_documents(TokenFile file, std::int64_t vocab_size);

/// Returns the largest token. Reads all of them unless the format says so or, for a large file,
/// `index` does.
std::int64_t max_token(const TokenFile& file, const NumberStore& index);

}  // namespace meshwright::data
