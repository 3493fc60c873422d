// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/kept_tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "meshwright/io/file_system.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {

std::map<std::string, std::string> kept_files(const TokenizerWithEnds& opened) {
  std::string content = opened.tokenizer->saved();
  if (content.empty()) return {};
  const std::string_view name = tokenizers::usual_file_name(content);
  return {{std::string(name), std::move(content)},
          {kGenerationConfig, generation_config(opened.end_tokens)}};
}

TokenizerWithEnds open_with_ends(const std::string& path) {
  TokenizerWithEnds out{tokenizers::open_tokenizer(path)};
  const std::filesystem::path file = std::filesystem::absolute(path);
  const std::filesystem::path folder =
      std::filesystem::is_directory(file) ? file : file.parent_path();
  out.end_tokens = end_tokens_in(*io::open_file_system(folder.string()), *out.tokenizer);
  return out;
}

TokenizerWithEnds open_kept_tokenizer(const std::string& run_folder) {
  const std::shared_ptr<io::FileSystem> folder = io::open_file_system(run_folder);
  std::optional<std::pair<std::int64_t, std::string>> newest;
  for (const std::string_view name : kKeptFiles) {
    const std::optional<io::FileInfo> file = folder->find(name);
    if (name == kGenerationConfig || !file || file->kind != io::FileKind::file) continue;
    if (!newest || file->modified_seconds > newest->first)
      newest = {file->modified_seconds, folder->full_name(name)};
  }
  if (!newest) return {};
  TokenizerWithEnds out{tokenizers::open_tokenizer(newest->second)};
  out.end_tokens = end_tokens_in(*folder, *out.tokenizer);
  return out;
}

}  // namespace meshwright::data
