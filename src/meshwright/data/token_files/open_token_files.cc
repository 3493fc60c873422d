// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/open_token_files.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/data/documents/views.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/token_files/bin_files.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/megatron.h"
#include "meshwright/data/token_files/npy.h"
#include "meshwright/data/token_files/stored_documents.h"
#include "meshwright/io/numpy/zip.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;

// With more files, each read opens its file, so that the process does not run out of handles.
constexpr std::size_t kMaxOpenFiles = 128;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_token_name(const fs::path& name) {
  const fs::path extension = name.extension();
  return extension == ".bin" || extension == ".idx" || extension == ".npy" || extension == ".npz";
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  MW_CHECK(!error, "opening the folder ", folder, ": ", error.message());
  for (const fs::directory_entry& entry : entries) {
    const bool is_hidden = entry.path().filename().string().starts_with('.');
    const bool is_usable =
        is_folder(entry) ? is_flat_tokens(entry.path().string()) : is_token_name(entry.path());
    if (!is_hidden && is_usable) out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  if (out.empty())
    fail(ErrorCode::not_found, "the folder ", folder,
         " has no .bin, .idx, .npy or .npz file and no flat tokens");
  return out;
}

std::vector<std::string> paths_of(const std::string& pattern) {
  if (find_megatron(pattern)) return {pattern};
  std::vector<std::string> out;
  for (const std::string& path : paths_matching(pattern)) {
    if (!is_folder(path) || is_flat_tokens(path)) {
      out.push_back(path);
      continue;
    }
    for (std::string& file : files_in(path))
      out.push_back(std::move(file));
  }
  return out;
}

TokenFormat recognized(const std::string& path, const TokenFileOptions& options) {
  if (is_folder(path)) return TokenFormat::flat_tokens;
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  io::Buffer head(std::min<std::uint64_t>(file->num_bytes(), 8));
  file->read(0, head.span());
  if (head.text().starts_with(io::kNpyMagic)) return TokenFormat::npy;
  if (head.text().starts_with(io::kZipMagic)) return TokenFormat::npz;
  if (is_llmc(*file)) return TokenFormat::llmc;
  MW_CHECK(
      options.dtype, path, ": the format of the file is not recognised",
      "\nif it holds integers and nothing else, set their dtype, such as data.dtype = \"uint16\"");
  return TokenFormat::raw;
}

FoundTokens found_at(const std::string& path, const TokenFileOptions& options) {
  const std::string normal = fs::path(path).lexically_normal().string();
  if (!options.format || options.format == TokenFormat::megatron) {
    if (const std::optional<std::string> prefix = find_megatron(normal))
      return {*prefix, TokenFormat::megatron};
  }
  return {normal, options.format ? *options.format : recognized(normal, options)};
}

std::vector<TokenFile> opened(const FoundTokens& found,
                              const TokenFileOptions& options,
                              bool stays_open) {
  switch (found.format) {
    case TokenFormat::megatron:
      return {open_megatron(found.path, stays_open)};
    case TokenFormat::llmc:
      return {open_llmc(found.path, stays_open)};
    case TokenFormat::raw:
      MW_CHECK(options.dtype, found.path, ": raw tokens need a dtype",
               "\nset it, such as data.dtype = \"uint16\"");
      return {open_raw(found.path, *options.dtype, stays_open)};
    case TokenFormat::npy:
      return {open_npy(found.path, stays_open)};
    case TokenFormat::npz:
      return open_npz(found.path, stays_open);
    case TokenFormat::flat_tokens:
      return {open_flat_tokens(found.path, options.split)};
  }
  fail(ErrorCode::internal, "unknown format");
}

void check_options(const FoundTokens& found, const TokenFileOptions& options) {
  const std::string_view name = token_format_name(found.format);
  MW_CHECK(!options.dtype || found.format == TokenFormat::raw, found.path,
           ": the dtype of files of format ", name, " is not a choice\nomit data.dtype");
  const bool has_documents =
      found.format == TokenFormat::megatron || found.format == TokenFormat::flat_tokens;
  MW_CHECK(!has_documents || (!options.begin_token && !options.end_token), found.path,
           ": files of format ", name,
           " say themselves where documents are\nomit data.begin_token and data.end_token");
}

}  // namespace

std::vector<FoundTokens> find_token_files(const std::vector<std::string>& patterns,
                                          const TokenFileOptions& options) {
  MW_CHECK(!patterns.empty(), "no files of tokens are named");
  std::vector<FoundTokens> out;
  std::set<FoundTokens> seen;
  for (const std::string& pattern : patterns) {
    for (const std::string& path : paths_of(pattern)) {
      FoundTokens found = found_at(path, options);
      if (seen.insert(found).second) out.push_back(std::move(found));
    }
  }
  return out;
}

std::vector<TokenFile> open_found(const FoundTokens& found,
                                  const TokenFileOptions& options,
                                  bool stays_open) {
  check_options(found, options);
  std::vector<TokenFile> out = opened(found, options, stays_open);
  for (TokenFile& file : out)
    if (file.begins.size() == 0)
      file.begins = find_documents(file, {options.begin_token, options.end_token}, options.index);
  return out;
}

std::vector<TokenFile> open_token_files(const std::vector<std::string>& patterns,
                                        const TokenFileOptions& options) {
  const std::vector<FoundTokens> all = find_token_files(patterns, options);
  std::vector<TokenFile> out;
  for (const FoundTokens& found : all)
    for (TokenFile& file : open_found(found, options, all.size() <= kMaxOpenFiles))
      out.push_back(std::move(file));
  return out;
}

DocumentsPtr token_documents(std::vector<TokenFile> files, std::int64_t vocab_size) {
  std::vector<DocumentsPtr> out;
  for (TokenFile& file : files)
    out.push_back(stored_documents(std::move(file), vocab_size));
  return joined(std::move(out));
}

std::int64_t max_token(const std::vector<TokenFile>& files, const NumberStore& index) {
  std::int64_t out = -1;
  for (const TokenFile& file : files)
    out = std::max(out, max_token(file, index));
  return out;
}

}  // namespace meshwright::data
