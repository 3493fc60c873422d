// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/data/token_files/token_writer.h"

namespace meshwright::data {

/// Writes documents to a file of tokens. Returns its path.
inline std::string write_documents(const std::string& path,
                                   TokenFormat format,
                                   const std::vector<std::vector<std::uint32_t>>& documents,
                                   const TokenWriterOptions& options = {.vocab_size = 1000}) {
  const std::unique_ptr<TokenWriter> writer = open_token_writer(path, format, options);
  for (const std::vector<std::uint32_t>& document : documents)
    writer->add_document(document);
  writer->finish();
  return path;
}

}  // namespace meshwright::data
