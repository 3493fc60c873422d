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
  return content.starts_with('{') || content.find('{') < content.find_first_not_of(" \t\r\n") + 1
             ? kJson
             : kTiktoken;
}

}  // namespace

std::optional<KeptFile> kept_tokenizer(const tokenizers::Tokenizer& tokenizer) {
  std::string content = tokenizer.saved();
  if (content.empty()) return std::nullopt;
  const std::string_view name = name_for(content);
  return KeptFile{std::string(name), std::move(content)};
}

std::unique_ptr<tokenizers::Tokenizer> open_kept_tokenizer(const std::string& run_folder) {
  for (const std::string_view name : {kJson, kSentencePiece, kTiktoken}) {
    const std::filesystem::path file = std::filesystem::path(run_folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return tokenizers::open_tokenizer(file);
  }
  return nullptr;
}

}  // namespace meshwright::data
