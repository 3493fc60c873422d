// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/open/open_tokenizer.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/tokenizers/formats/sentencepiece.h"
#include "meshwright/tokenizers/formats/tiktoken.h"
#include "meshwright/tokenizers/formats/tokenizer_json.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

std::filesystem::path file_in(const std::filesystem::path& folder) {
  for (const std::string_view name : {"tokenizer.json", "tokenizer.model"}) {
    std::filesystem::path file = folder / name;
    if (std::filesystem::exists(file)) return file;
  }
  fail(ErrorCode::not_found, folder.string(),
       " has no tokenizer: neither tokenizer.json nor tokenizer.model");
}

std::string content_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) fail(ErrorCode::not_found, "cannot read the tokenizer ", file.string());
  if (size > kMostBytes)
    fail(ErrorCode::data_loss, file.string(), " has ", size, " bytes: too large for a tokenizer");
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_json(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != content.npos && content[first] == '{';
}

// A SentencePiece model begins with its first piece: field 1 of a protocol buffer.
bool is_sentencepiece(std::string_view content) {
  return content.starts_with('\n');
}

}  // namespace

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? file_in(path) : path;
  return tokenizer_of_content(content_of(file), file.string());
}

std::unique_ptr<Tokenizer> tokenizer_of_content(std::string content, const std::string& name) {
  if (content.empty()) fail(ErrorCode::data_loss, name, ": the file is empty");
  if (is_tiktoken(content)) return read_tiktoken(content, name);
  if (is_json(content)) return read_tokenizer_json(std::move(content), name);
  if (is_sentencepiece(content)) return sentencepiece_tokenizer(std::move(content), name);
  fail(ErrorCode::data_loss, name,
       ": not a tokenizer: neither a tokenizer.json nor a SentencePiece model nor a tiktoken file");
}

std::string_view usual_file_name(std::string_view content) {
  if (is_tiktoken(content)) return "tokenizer.tiktoken";
  return is_json(content) ? "tokenizer.json" : "tokenizer.model";
}

std::string tokenizer_digest(const Tokenizer& tokenizer) {
  return digest_hex(tokenizer.description() + '\n' + tokenizer.saved());
}

}  // namespace meshwright::tokenizers
