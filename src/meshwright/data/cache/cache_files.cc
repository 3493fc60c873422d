// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/cache_files.h"

#include <map>
#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/cache_key.h"
#include "meshwright/data/cache/part_info.h"

namespace meshwright::data {
namespace {

constexpr std::string_view kInputsFile = "inputs.json";
constexpr std::string_view kPartsFile = "meta.json";
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

JsonValue read_json(const io::FileSystem& folder, std::string_view name) {
  return parse_json(io::read_text(folder, name, kMaxBytes), folder.full_name(name), kMaxBytes);
}

void check_chain(const std::vector<PartInfo>& parts, std::size_t num_files) {
  CorpusPosition end;
  for (const PartInfo& part : parts) {
    std::int64_t num_documents = 0;
    for (const FileShare& file : part.files)
      num_documents += file.num_documents;
    if (part.begin != end || num_documents != part.num_documents ||
        part.begin.file + part.files.size() > num_files)
      fail(ErrorCode::data_loss, "its parts do not follow each other");
    end = part.end;
  }
  if (parts.empty() || end.file != num_files)
    fail(ErrorCode::data_loss, "its parts do not end with the last input file");
}

// The changes from some input files to others.
struct Changes {
  std::size_t num_equal = 0, num_common = 0;  // names
  std::string first = {};
};

Changes changes(const std::vector<DataFile>& from, const std::vector<DataFile>& to) {
  std::map<std::string_view, const DataFile*> old;
  for (const DataFile& file : from)
    old[file.path] = &file;
  Changes out;
  std::string added;
  for (const DataFile& file : to) {
    const auto found = old.find(file.path);
    if (found == old.end()) {
      if (added.empty()) added = str(file.path, " is new");
      continue;
    }
    ++out.num_common;
    if (*found->second == file)
      ++out.num_equal;
    else if (out.first.empty())
      out.first = str(file.path, " has changed");
    old.erase(found);
  }
  if (out.first.empty()) out.first = added;
  if (out.first.empty() && !old.empty())
    out.first = str(old.begin()->first, " is no longer among the files");
  if (out.first.empty()) out.first = "the files are in another order";
  return out;
}

}  // namespace

void begin_build(io::FileSystem& folder, const CacheInputs& inputs) {
  if (folder.find(kPartsFile)) folder.remove(kPartsFile);
  JsonWriter json;
  json.begin_object().field("format", kTokenCacheFormat);
  json.field("settings", inputs.settings_digest);
  json.field("working_folder", inputs.working_folder.string()).key("files").begin_array();
  for (const DataFile& file : inputs.files) {
    json.begin_object().field("path", file.path).field("bytes", file.num_bytes);
    json.field("modified_nanoseconds", file.modified_nanoseconds);
    json.field("sample_digest", file.sample_digest).end_object();
  }
  json.end_array().end_object();
  io::replace_text(folder, kInputsFile, json.str());
}

bool has_inputs(const io::FileSystem& folder) {
  return folder.find(kInputsFile).has_value();
}

std::optional<std::int64_t> find_cache_format(const io::FileSystem& folder) {
  try {
    return read_json(folder, kInputsFile).at("format").as_integer();
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<CacheInputs> find_inputs(const io::FileSystem& folder) {
  try {
    if (!has_inputs(folder)) return std::nullopt;
    const JsonValue json = read_json(folder, kInputsFile);
    if (json.at("format").as_integer() != kTokenCacheFormat) return std::nullopt;
    CacheInputs out{.settings_digest = json.at("settings").as_text()};
    if (const JsonValue* working_folder = json.find("working_folder"))
      out.working_folder = working_folder->as_text();
    for (const JsonValue& file : json.at("files").as_array()) {
      out.files.push_back({.path = file.at("path").as_text(),
                           .num_bytes = file.at("bytes").as_integer(),
                           .modified_nanoseconds = file.at("modified_nanoseconds").as_integer(),
                           .sample_digest = file.at("sample_digest").as_text()});
    }
    return out;
  } catch (const Error&) {
    return std::nullopt;  // it only explains what is tokenized and why
  }
}

std::string changes_since_cached(const io::FileSystem& caches, const CacheInputs& inputs) {
  Changes best;
  for (const io::FolderEntry& entry : caches.list("")) {
    if (entry.kind != io::FileKind::folder) continue;
    const auto folder = io::open_file_system(caches.full_name(entry.name));
    const std::optional<CacheInputs> other = find_inputs(*folder);
    if (!other || other->settings_digest != inputs.settings_digest) continue;
    if (other->files == inputs.files) continue;  // a build that goes on
    const Changes found = changes(other->files, inputs.files);
    if (found.num_common > 0 && (best.first.empty() || found.num_equal > best.num_equal))
      best = found;
  }
  return best.first;
}

bool is_complete(const io::FileSystem& folder) {
  return folder.find(kPartsFile).has_value();
}

void write_parts(io::FileSystem& folder, const std::vector<PartInfo>& parts) {
  JsonWriter json;
  json.begin_object().field("format", kTokenCacheFormat).key("parts").begin_array();
  for (const PartInfo& part : parts)
    write_json(json, part);
  json.end_array().end_object();
  io::replace_text(folder, kPartsFile, json.str());
}

std::optional<std::vector<PartInfo>> find_parts(const io::FileSystem& folder,
                                                std::size_t num_files) {
  if (!is_complete(folder)) return std::nullopt;
  const JsonValue json = read_json(folder, kPartsFile);
  try {
    if (json.at("format").as_integer() != kTokenCacheFormat)
      fail(ErrorCode::data_loss, "has another format");
    std::vector<PartInfo> out;
    for (const JsonValue& part : json.at("parts").as_array())
      out.push_back(part_info_from(part));
    check_chain(out, num_files);
    return out;
  } catch (const Error& error) {
    throw error.with_context(folder.full_name(kPartsFile));
  }
}

}  // namespace meshwright::data
