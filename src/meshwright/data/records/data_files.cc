// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/data_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/glob.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

constexpr std::array<std::string_view, 6> kKinds = {".txt",   ".text",   ".md",
                                                    ".jsonl", ".ndjson", ".json"};
constexpr std::array<std::string_view, 2> kCompressions = {".gz", ".zst"};
constexpr std::int64_t kSampleBytes = 64 << 10;

bool is_of_known_kind(std::string_view name) {
  if (name.starts_with('.')) return false;
  if (name.ends_with(".parquet")) return true;
  for (std::string_view compression : kCompressions) {
    if (name.ends_with(compression)) name.remove_suffix(compression.size());
  }
  return std::any_of(kKinds.begin(), kKinds.end(), [&](auto kind) { return name.ends_with(kind); });
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

std::string joined(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator readable(folder, error);
  if (error) {
    fail(ErrorCode::invalid_argument, "opening the folder ", folder, ": ", error.message());
  }
  std::vector<std::string> out;
  for (const std::string& name : names_in(folder)) {
    const std::string path = joined(folder, name);
    if (is_of_known_kind(name) && !is_folder(path)) out.push_back(path);
  }
  if (out.empty()) {
    fail(ErrorCode::not_found, "the folder ", folder,
         " has no file of a known kind: .txt, .text, .md, .jsonl, .ndjson or .json, also with .gz "
         "or .zst, or .parquet");
  }
  return out;
}

/// Returns "; did you mean '...'?" for the first missing component of a path or glob.
std::string nearest_names(const std::string& pattern) {
  std::string existing = pattern.starts_with('/') ? "/" : ".";
  for (const std::filesystem::path& component : std::filesystem::path(pattern)) {
    const std::string name = component.string();
    if (name.empty() || name == "/") continue;
    if (has_wildcard(name)) return str("; the folder ", existing, " exists");
    const std::string path = joined(existing, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
      existing = path;
      continue;
    }
    const std::vector<std::string> names = names_in(existing);
    return str("; the folder ", existing, " has no '", name, "'", did_you_mean(name, names));
  }
  return "";
}

std::vector<std::string> paths_of(const std::string& pattern) {
  return is_folder(pattern) ? files_of_folder(pattern) : paths_matching(pattern);
}

std::string sample_digest(const std::string& path, std::int64_t num_bytes) {
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  Digest digest;
  std::set<std::int64_t> begins = {0, std::max<std::int64_t>(0, num_bytes / 2 - kSampleBytes / 2),
                                   std::max<std::int64_t>(0, num_bytes - kSampleBytes)};
  for (std::int64_t begin : begins) {
    io::Buffer block(static_cast<std::size_t>(std::min(kSampleBytes, num_bytes - begin)));
    file->read(static_cast<std::uint64_t>(begin), block.span());
    digest.update(block.text());
  }
  return digest.hex();
}

}  // namespace

std::vector<std::string> paths_matching(const std::string& pattern) {
  if (pattern.empty()) fail(ErrorCode::invalid_argument, "the name of a data file is empty");
  std::error_code ignored;
  if (std::filesystem::exists(pattern, ignored)) return {pattern};
  std::vector<std::string> out;
  if (has_wildcard(pattern)) out = expand_glob(pattern);
  // After **, folders match too but cannot be meant.
  if (pattern.find("**") != std::string::npos) std::erase_if(out, is_folder);
  if (out.empty()) {
    fail(ErrorCode::not_found, "no file matches '", pattern, "'", nearest_names(pattern));
  }
  return out;
}

DataFile describe_data_file(const std::string& path) {
  const io::UserFileInfo info = io::user_file_info(path);
  const auto num_bytes =
      info.kind == io::FileKind::file ? static_cast<std::int64_t>(info.num_bytes) : 0;
  return {.path = path,
          .num_bytes = num_bytes,
          .modified_nanoseconds = info.modified_nanoseconds,
          .sample_digest = sample_digest(path, num_bytes)};
}

std::vector<DataFile> find_data_files(const std::vector<std::string>& patterns) {
  if (patterns.empty()) fail(ErrorCode::invalid_argument, "no data files are named");
  std::vector<DataFile> out;
  std::set<std::string> seen;
  for (const std::string& pattern : patterns) {
    for (const std::string& path : paths_of(pattern)) {
      if (seen.insert(std::filesystem::path(path).lexically_normal().string()).second)
        out.push_back(describe_data_file(path));
    }
  }
  return out;
}

std::string fingerprint(const std::vector<DataFile>& files) {
  Digest digest;
  for (const DataFile& file : files) {
    digest.update(str(file.path.size(), " ", file.path, " ", file.num_bytes, " ",
                      file.modified_nanoseconds, " ", file.sample_digest, "\n"));
  }
  return digest.hex();
}

void check_unchanged(const DataFile& file) {
  const io::UserFileInfo now = io::user_file_info(file.path);
  if (now.num_bytes != static_cast<std::uint64_t>(file.num_bytes)) {
    fail(ErrorCode::data_loss, file.path, ": has ", now.num_bytes, " bytes, but had ",
         file.num_bytes, " when it was found");
  }
  if (now.modified_nanoseconds != file.modified_nanoseconds)
    fail(ErrorCode::data_loss, file.path, ": was modified since it was found");
}

}  // namespace meshwright::data
