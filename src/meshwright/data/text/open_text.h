// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/documents/number_store.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

struct TextFiles {
  DocumentsPtr documents;
  std::optional<std::int64_t> num_skipped_records = {};  // corrupt ones
};

/// Opens the files in `path` with the settings of `config`. Plain files are read in place if each
/// is one document of bytes; others are tokenized into the cache first. Throws not_found for a path
/// that names no file, and invalid_argument if the files have no documents.
TextFiles open_text(const TextConfig& config,
                    const config::OneOrMore<std::string>& path,
                    const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                    const std::string& run_folder);

/// Returns the folder of the token caches of all corpora of a run.
std::filesystem::path caches_folder(const TextConfig& config, const std::string& run_folder);

/// Returns the indexes in a folder of token caches.
NumberStore indexes_in(const std::filesystem::path& caches);

/// Returns where to keep the index of a corpus: with the token cache.
NumberStore index_store(const TextConfig& config, const std::string& run_folder);
/// Like above, but in memory unless the documents are many.
NumberStore index_store(const TextConfig& config,
                        const std::string& run_folder,
                        const Documents& documents);

}  // namespace meshwright::data
