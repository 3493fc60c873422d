// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/ocdbt/writer.h"

#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <utility>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/error.h"
#include "meshwright/base/hex.h"
#include "meshwright/io/ocdbt/database.h"
#include "meshwright/io/ocdbt/manifest.h"
#include "meshwright/io/ocdbt/node.h"
#include "meshwright/io/path.h"

namespace meshwright::io {
namespace {

constexpr std::size_t kIdBytes = 16;

// Ids only have to differ from each other.
std::string random_id() {
  std::random_device random;
  std::string out;
  while (out.size() < kIdBytes)
    append_number(out, std::uint32_t{random()});
  return out;
}

std::string hex_of(const std::string& bytes) {
  return hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

}  // namespace

// All values lie in one file, short ones in the node that follows them.
class OcdbtWriter::Values : public FileSystem, public std::enable_shared_from_this<Values> {
 public:
  Values(std::shared_ptr<FileSystem> files, std::string folder)
      : files_(std::move(files)),
        folder_(std::move(folder)),
        name_(join_path("d", hex_of(random_id()))) {
    files_->make_folder(join_path(folder_, "d"));
    file_ = files_->create(join_path(folder_, name_));
  }

  std::string full_name(std::string_view path) const override {
    return str(files_->full_name(join_path(folder_, kOcdbtManifest)), ": ", path);
  }
  std::unique_ptr<WritableFile> create(std::string_view path) override {
    return std::make_unique<NewValue>(shared_from_this(), std::string(path));
  }
  void make_folder(std::string_view /*path*/) override {}

  std::optional<FileInfo> find(std::string_view path) const override { refuse(path); }
  std::vector<FolderEntry> list(std::string_view path) const override { refuse(path); }
  std::unique_ptr<ReadableFile> open(std::string_view path) const override { refuse(path); }
  std::unique_ptr<WritableFile> update(std::string_view path) override { refuse(path); }
  std::unique_ptr<AppendableFile> append(std::string_view path) override { refuse(path); }
  std::unique_ptr<FileLock> lock(std::string_view path, std::string_view /*text*/) override {
    refuse(path);
  }
  void rename(std::string_view from, std::string_view /*to*/) override { refuse(from); }
  bool can_rename() const override { return false; }
  void remove(std::string_view path) override { refuse(path); }
  void sync_folder(std::string_view /*path*/) override {}
  RootState root_state() const override { return {}; }

  void sync() { file_->sync(); }

  std::string receipt(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto* outside = std::get_if<ocdbt::OutsideValue>(&values_.at(key));
    if (outside == nullptr) return {};
    return str(outside->file.relative, " ", outside->range.offset, " ", outside->range.num_bytes);
  }

  bool keep(const std::string& key, const std::string& receipt) {
    std::istringstream words(receipt);
    ocdbt::OutsideValue value;
    FileRange& range = value.range;
    if (!(words >> value.file.relative >> range.offset >> range.num_bytes)) return false;
    const auto file = files_->find(join_path(folder_, value.file.relative));
    if (!file || file->num_bytes < range.offset + range.num_bytes) return false;
    const std::lock_guard lock(mutex_);
    kept_files_.insert(name_of(value.file.relative));
    values_[key] = std::move(value);
    return true;
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    remove_unused();
    const std::string node = ocdbt::leaf_bytes(values_);
    const ocdbt::NewManifest manifest{.file = name_,
                                      .offset = num_bytes_,
                                      .num_bytes = node.size(),
                                      .num_keys = values_.size(),
                                      .num_value_bytes = num_outside_bytes(),
                                      .nanoseconds = nanoseconds_now(),
                                      .uuid = random_id()};
    file_->append(as_bytes(node));
    file_->sync();
    file_->close();
    files_->sync_folder(folder_);
    files_->sync_folder(join_path(folder_, "d"));
    write_text(*files_, join_path(folder_, kOcdbtManifest), ocdbt::manifest_bytes(manifest),
               Durability::synced);
    files_->sync_folder(folder_);
  }

 private:
  // Collects the bytes of a value until it is closed.
  class NewValue : public WritableFile {
   public:
    NewValue(std::shared_ptr<Values> values, std::string key)
        : values_(std::move(values)), key_(std::move(key)) {}

    void append(std::span<const std::byte> bytes) override { bytes_ += as_text(bytes); }
    void write_at(std::uint64_t /*offset*/, std::span<const std::byte> /*bytes*/) override {
      values_->refuse(key_);
    }
    void sync() override {}
    void close() override { values_->add(key_, std::move(bytes_)); }

   private:
    std::shared_ptr<Values> values_;
    std::string key_;
    std::string bytes_;
  };

  static std::uint64_t nanoseconds_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  void add(const std::string& key, std::string bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes.size() <= ocdbt::kMaxInlineBytes) {
      values_[key] = std::move(bytes);
      return;
    }
    file_->append(as_bytes(bytes));
    values_[key] = ocdbt::OutsideValue{.file = {"", name_},
                                       .range = {.offset = num_bytes_, .num_bytes = bytes.size()}};
    num_bytes_ += bytes.size();
  }

  std::uint64_t num_outside_bytes() const {
    std::uint64_t out = 0;
    for (const auto& [key, value] : values_)
      if (const auto* outside = std::get_if<ocdbt::OutsideValue>(&value))
        out += outside->range.num_bytes;
    return out;
  }

  // Removes the files of earlier writers of which nothing was kept.
  void remove_unused() {
    const std::string folder = join_path(folder_, "d");
    for (const FolderEntry& entry : files_->list(folder)) {
      if (entry.name != name_of(name_) && !kept_files_.contains(entry.name))
        files_->remove(join_path(folder, entry.name));
    }
  }

  [[noreturn]] void refuse(std::string_view path) const {
    fail(ErrorCode::internal, full_name(path), ": a new database can only be added to");
  }

  std::shared_ptr<FileSystem> files_;
  std::string folder_;
  std::string name_;
  std::mutex mutex_;
  std::unique_ptr<WritableFile> file_;
  std::map<std::string, ocdbt::Value> values_;
  std::uint64_t num_bytes_ = 0;       // of the values in the file
  std::set<std::string> kept_files_;  // names of files of earlier writers
};

OcdbtWriter::OcdbtWriter(const std::shared_ptr<FileSystem>& files, const std::string& folder)
    : values_(std::make_shared<Values>(files, folder)) {}

std::shared_ptr<FileSystem> OcdbtWriter::files() const {
  return values_;
}

void OcdbtWriter::sync() {
  values_->sync();
}

std::string OcdbtWriter::receipt(const std::string& key) const {
  return values_->receipt(key);
}

bool OcdbtWriter::keep(const std::string& key, const std::string& receipt) {
  return values_->keep(key, receipt);
}

void OcdbtWriter::finish() {
  values_->finish();
}

}  // namespace meshwright::io
