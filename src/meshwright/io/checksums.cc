// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/checksums.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/error.h"
#include "meshwright/io/path.h"

namespace meshwright::io {

namespace {

// Small enough that a block is still in the processor's cache when its checksum is computed.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

}  // namespace

struct RecordingFiles::Notes {
  std::mutex mutex;
  FileRecords records;
  std::set<std::string> folders;
};

struct RecordingFiles::RecordingWriter : WritableFile {
  void append(std::span<const std::byte> bytes) override {
    record.num_bytes += bytes.size();
    do {
      std::span<const std::byte> block = bytes.first(std::min(bytes.size(), kBlockBytes));
      inner->append(block);
      record.crc = crc32c(as_text(block), record.crc);
      bytes = bytes.subspan(block.size());
    } while (!bytes.empty());
  }
  void write_at(std::uint64_t, std::span<const std::byte>) override {
    fail(ErrorCode::internal, path, ": a file whose bytes are recorded can only be appended to");
  }
  void sync() override { inner->sync(); }
  void close() override {
    inner->close();
    std::lock_guard lock(notes->mutex);
    notes->records[path] = record;
  }

  std::unique_ptr<WritableFile> inner;
  std::shared_ptr<Notes> notes;
  std::string path;
  FileRecord record;
};

RecordingFiles::RecordingFiles(std::shared_ptr<FileSystem> inner, std::string folder)
    : ForwardingFileSystem(std::move(inner), std::move(folder)),
      notes_(std::make_shared<Notes>()) {}

std::unique_ptr<WritableFile> RecordingFiles::create(std::string_view path) {
  auto out = std::make_unique<RecordingWriter>();
  out->inner = ForwardingFileSystem::create(path);
  out->notes = notes_;
  out->path = path;
  return out;
}

void RecordingFiles::make_folder(std::string_view path) {
  ForwardingFileSystem::make_folder(path);
  std::lock_guard lock(notes_->mutex);
  for (std::string folder(path); !folder.empty(); folder = parent_of(folder))
    notes_->folders.insert(folder);
}

FileRecords RecordingFiles::records() const {
  std::lock_guard lock(notes_->mutex);
  return notes_->records;
}

std::optional<FileRecord> RecordingFiles::find_record(std::string_view path) const {
  std::lock_guard lock(notes_->mutex);
  const auto found = notes_->records.find(path);
  return found == notes_->records.end() ? std::nullopt : std::optional(found->second);
}

bool RecordingFiles::adopt(const std::string& path, const FileRecord& record) {
  const std::optional<FileInfo> info = find(path);
  if (!info || info->kind != FileKind::file || info->num_bytes != record.num_bytes) return false;
  std::lock_guard lock(notes_->mutex);
  notes_->records[path] = record;
  return true;
}

void RecordingFiles::sync_folders() {
  std::set<std::string> folders;
  {
    std::lock_guard lock(notes_->mutex);
    folders = notes_->folders;
  }
  sync_folder("");
  for (const std::string& folder : folders)  // names sort parents before children
    sync_folder(folder);
}

namespace {

void compare(std::uint32_t crc, const FileRecord& record, const std::string& name) {
  if (crc != record.crc) fail(ErrorCode::data_loss, name, ": checksum mismatch");
}

// Reads and verifies a whole file.
void read_verified(const ReadableFile& file,
                   std::span<std::byte> out,
                   const FileRecord& record,
                   const std::string& name) {
  std::uint32_t crc = 0;
  for (std::size_t at = 0; at < out.size(); at += kBlockBytes) {
    std::span<std::byte> block = out.subspan(at, std::min(out.size() - at, kBlockBytes));
    file.read(at, block);
    crc = crc32c(as_text(block), crc);
  }
  compare(crc, record, name);
}

// Verifies a file in blocks, without holding all of it.
void verify_bytes(const ReadableFile& file, const FileRecord& record, const std::string& name) {
  Buffer block(static_cast<std::size_t>(std::min<std::uint64_t>(record.num_bytes, kBlockBytes)));
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < record.num_bytes; at += block.size()) {
    if (record.num_bytes - at < block.size())
      block.truncate(static_cast<std::size_t>(record.num_bytes - at));
    file.read(at, block.span());
    crc = crc32c(as_text(block.span()), crc);
  }
  compare(crc, record, name);
}

}  // namespace

class VerifiedFiles::VerifyingReader : public ReadableFile {
 public:
  VerifyingReader(std::unique_ptr<ReadableFile> inner, FileRecord record, std::string name)
      : inner_(std::move(inner)), record_(record), name_(std::move(name)) {}

  std::uint64_t num_bytes() const override { return record_.num_bytes; }

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset == 0 && out.size() == record_.num_bytes) {
      return read_verified(*inner_, out, record_, name_);
    }
    if (offset > record_.num_bytes || out.size() > record_.num_bytes - offset) {
      fail(ErrorCode::data_loss, name_, ": has ", record_.num_bytes, " bytes, cannot read ",
           out.size(), " at byte ", offset);
    }
    verify();
    inner_->read(offset, out);
  }
  void verify() const {
    const std::lock_guard lock(mutex_);
    if (!is_verified_) verify_bytes(*inner_, record_, name_);
    is_verified_ = true;
  }

 private:
  std::unique_ptr<ReadableFile> inner_;
  FileRecord record_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable bool is_verified_ = false;
};

std::optional<FileInfo> VerifiedFiles::find(std::string_view path) const {
  auto record = records_.find(path);
  if (record == records_.end()) return std::nullopt;
  std::optional<FileInfo> info = ForwardingFileSystem::find(path);
  if (!info) fail(ErrorCode::data_loss, full_name(path), ": is missing");
  if (info->kind != FileKind::file) fail(ErrorCode::data_loss, full_name(path), ": is not a file");
  if (info->num_bytes != record->second.num_bytes) {
    fail(ErrorCode::data_loss, full_name(path), ": has ", info->num_bytes, " bytes, expected ",
         record->second.num_bytes);
  }
  return info;
}

std::unique_ptr<VerifiedFiles::VerifyingReader> VerifiedFiles::open_reader(
    std::string_view path) const {
  if (!find(path)) fail(ErrorCode::not_found, full_name(path), ": no such file");
  return std::make_unique<VerifyingReader>(ForwardingFileSystem::open(path),
                                           records_.find(path)->second, full_name(path));
}

std::unique_ptr<ReadableFile> VerifiedFiles::open(std::string_view path) const {
  return open_reader(path);
}

void VerifiedFiles::verify(std::string_view path) const {
  open_reader(path)->verify();
}

}  // namespace meshwright::io
