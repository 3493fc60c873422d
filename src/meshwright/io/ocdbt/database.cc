// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/ocdbt/database.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/printable.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/ocdbt/manifest.h"
#include "meshwright/io/ocdbt/node.h"
#include "meshwright/io/path.h"
#include "meshwright/io/read_only_files.h"

namespace meshwright::io {
namespace {

using ocdbt::DataFile;
using ocdbt::NodePlace;
using ocdbt::OutsideValue;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{64} << 20;
// Enough for a checkpoint with a million arrays.
constexpr std::size_t kMostKeyBytes = std::size_t{256} << 20;

using Values = std::map<std::string, ocdbt::Value, std::less<>>;

// Returns the path of a file that a database refers to, which may not lie outside of its folder.
std::string data_file(const FileSystem& files, const std::string& folder, const DataFile& file) {
  if (is_path(file.path())) return join_path(folder, file.path());
  fail(ErrorCode::data_loss, files.full_name(join_path(folder, kOcdbtManifest)), ": refers to '",
       printable_name(file.path()), "', which is not the path of a file in it");
}

// A file to which the database refers must exist.
std::unique_ptr<ReadableFile> open_data_file(const FileSystem& files, const std::string& path) {
  try {
    return files.open(path);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Error(ErrorCode::data_loss, error.what());
  }
}

class Loader {
 public:
  Loader(std::shared_ptr<const FileSystem> files, std::string folder)
      : files_(std::move(files)), folder_(std::move(folder)) {}

  Values load() {
    ocdbt::Manifest manifest = read_manifest(kOcdbtManifest);
    if (manifest.is_numbered) manifest = read_manifest(latest_manifest());
    max_node_bytes_ = manifest.max_node_bytes;
    if (manifest.root) load(*manifest.root, "");
    return std::move(values_);
  }

 private:
  ocdbt::Manifest read_manifest(const std::string& name) const {
    const std::string path = join_path(folder_, name);
    return ocdbt::parse_manifest(read_file(*files_, path, kMaxManifestBytes).text(),
                                 files_->full_name(path));
  }

  std::string latest_manifest() const {
    constexpr std::string_view kPrefix = "manifest.";
    constexpr std::size_t kDigits = 16;
    std::string out;
    for (const FolderEntry& entry : files_->list(folder_)) {
      const std::string& name = entry.name;
      const bool is_numbered =
          name.starts_with(kPrefix) && name.size() == kPrefix.size() + kDigits &&
          name.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string::npos;
      if (is_numbered) out = std::max(out, name);
    }
    if (!out.empty()) return out;
    fail(ErrorCode::data_loss, files_->full_name(join_path(folder_, kOcdbtManifest)),
         ": refers to numbered manifests, but there are none");
  }

  void load(const NodePlace& place, const std::string& prefix) {
    const std::string path = data_file(*files_, folder_, place.file);
    const std::string name = str(files_->full_name(path), ", node at ", place.offset);
    const std::shared_ptr<const ReadableFile> file = open_data_file(*files_, path);
    check_range({place.offset, place.num_bytes}, file->num_bytes(), name);
    if (place.num_bytes > max_node_bytes_ + kEnvelopeBytes)
      fail(ErrorCode::data_loss, name, ": has ", place.num_bytes, " bytes, more than allowed");
    Buffer bytes(place.num_bytes);
    file->read(place.offset, bytes.span());
    ocdbt::Node node = parse_node(bytes.text(), place, prefix, max_node_bytes_, name);
    for (auto& [key, value] : node.values)
      add(key, std::move(value), name);
    for (const ocdbt::Child& child : node.children)
      load(child.place, child.prefix);
  }

  // Ascending keys also ensure that no node is read twice.
  void add(const std::string& key, ocdbt::Value value, const std::string& node) {
    if (!values_.empty() && key <= values_.rbegin()->first)
      fail(ErrorCode::data_loss, node, ": key '", printable_name(key), "' is not in order");
    num_key_bytes_ += key.size() + sizeof(ocdbt::Value);
    if (num_key_bytes_ > kMostKeyBytes) fail(ErrorCode::data_loss, node, ": has too many keys");
    values_.emplace_hint(values_.end(), key, std::move(value));
  }

  static constexpr std::uint64_t kEnvelopeBytes = 64;  // an upper bound

  std::shared_ptr<const FileSystem> files_;
  std::string folder_;
  std::uint64_t max_node_bytes_ = 0;
  Values values_;
  std::size_t num_key_bytes_ = 0;
};

class Database : public ReadOnlyFiles {
 public:
  Database(std::shared_ptr<const FileSystem> files, std::string folder)
      : files_(std::move(files)),
        folder_(std::move(folder)),
        values_(Loader(files_, folder_).load()) {}

  std::string full_name(std::string_view path) const override {
    return str(files_->full_name(join_path(folder_, kOcdbtManifest)), ": ", printable_name(path));
  }

  std::optional<FileInfo> find(std::string_view path) const override {
    if (const auto found = values_.find(path); found != values_.end())
      return FileInfo{.kind = FileKind::file, .num_bytes = size_of(found->second)};
    if (path.empty() || is_folder(path)) return FileInfo{.kind = FileKind::folder};
    return std::nullopt;
  }

  std::vector<FolderEntry> list(std::string_view path) const override {
    if (!path.empty() && !is_folder(path))
      fail(ErrorCode::not_found, full_name(path), ": does not exist");
    const std::string prefix = path.empty() ? "" : str(path, "/");
    std::vector<FolderEntry> out;
    for (auto key = values_.lower_bound(prefix); key != values_.end(); ++key) {
      if (!key->first.starts_with(prefix)) break;
      const std::string rest = key->first.substr(prefix.size());
      const std::size_t slash = rest.find('/');
      const std::string name = rest.substr(0, slash);
      const FileKind kind = slash == rest.npos ? FileKind::file : FileKind::folder;
      if (out.empty() || out.back().name != name) out.push_back({name, kind});
    }
    std::ranges::sort(out, std::less(), &FolderEntry::name);
    return out;
  }

  std::unique_ptr<ReadableFile> open(std::string_view path) const override {
    const auto found = values_.find(path);
    if (found == values_.end()) fail(ErrorCode::not_found, full_name(path), ": does not exist");
    if (const auto* text = std::get_if<std::string>(&found->second))
      return file_in_memory(copied(as_bytes(*text)), full_name(path));
    const auto& outside = std::get<OutsideValue>(found->second);
    return file_region(open_data_file(*files_, data_file(*files_, folder_, outside.file)),
                       outside.range, full_name(path));
  }

 private:
  static std::uint64_t size_of(const ocdbt::Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? text->size() : std::get<OutsideValue>(value).range.num_bytes;
  }

  bool is_folder(std::string_view path) const {
    const std::string prefix = str(path, "/");
    const auto found = values_.lower_bound(prefix);
    return found != values_.end() && found->first.starts_with(prefix);
  }

  std::shared_ptr<const FileSystem> files_;
  std::string folder_;
  Values values_;
};

}  // namespace

bool is_ocdbt(const FileSystem& files, const std::string& folder) {
  return is_file(files, join_path(folder, kOcdbtManifest));
}

std::shared_ptr<FileSystem> open_ocdbt(const std::shared_ptr<const FileSystem>& files,
                                       const std::string& folder) {
  return std::make_shared<Database>(files, folder);
}

}  // namespace meshwright::io
