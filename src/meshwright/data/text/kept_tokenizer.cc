// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/kept_tokenizer.h"

#include <filesystem>

#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

constexpr std::string_view kJson = "tokenizer.json";
constexpr std::string_view kSentencePiece = "tokenizer.model";
constexpr std::string_view kTiktoken = "tokenizer.tiktoken";

std::string_view name_for(std::string_view content) {
  if (content.starts_with('\n')) return kSentencePiece;
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != content.npos && content[first] == '{' ? kJson : kTiktoken;
}

}  // namespace

std::optional<KeptFile> kept_tokenizer(const tokenizers::Tokenizer& tokenizer) {
  std::string content = tokenizer.saved();
  if (content.empty()) return std::nullopt;
  const std::string_view name = name_for(content);
  return KeptFile{std::string(name), std::move(content)};
}

std::vector<std::string> kept_tokenizer_names() {
  return {std::string(kJson), std::string(kSentencePiece), std::string(kTiktoken)};
}

std::unique_ptr<tokenizers::Tokenizer> open_kept_tokenizer(const std::string& run_folder) {
  for (const std::string& name : kept_tokenizer_names()) {
    const std::filesystem::path file = std::filesystem::path(run_folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return tokenizers::open_tokenizer(file);
  }
  return nullptr;
}

}  // namespace meshwright::data
