// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/kept_tokenizer.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {

std::optional<KeptFile> kept_tokenizer(const tokenizers::Tokenizer& tokenizer) {
  std::string content = tokenizer.saved();
  if (content.empty()) return std::nullopt;
  const std::string_view name = tokenizers::usual_file_name(content);
  return KeptFile{std::string(name), std::move(content)};
}

std::unique_ptr<tokenizers::Tokenizer> open_kept_tokenizer(const std::string& run_folder) {
  namespace fs = std::filesystem;
  std::optional<std::pair<fs::file_time_type, fs::path>> newest;
  for (const char* name : {"tokenizer.json", "tokenizer.model", "tokenizer.tiktoken"}) {
    const fs::path file = fs::path(run_folder) / name;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    const fs::file_time_type written = fs::last_write_time(file, ignored);
    if (!newest || written > newest->first) newest = {written, file};
  }
  return newest ? tokenizers::open_tokenizer(newest->second) : nullptr;
}

}  // namespace meshwright::data
