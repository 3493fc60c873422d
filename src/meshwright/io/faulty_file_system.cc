// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/faulty_file_system.h"

#include <array>

#include "meshwright/base/error.h"

namespace meshwright::io {
namespace {

FileCall record_call(const Fault& fault,
                     std::atomic<std::size_t>& num_changing,
                     FileCall::Kind kind,
                     std::string_view path) {
  FileCall call{kind, std::string(path), num_changing};
  if (call.is_changing()) call.num_changing = ++num_changing;
  if (fault.before) fault.before(call);
  return call;
}

}  // namespace

std::string_view call_name(FileCall::Kind kind) {
  static constexpr std::array<std::string_view, 15> kNames = {
      "find",        "list",   "open",   "read",        "create",    "append",   "sync", "close",
      "make_folder", "rename", "remove", "sync_folder", "append_to", "truncate", "lock"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Fault fail_at(std::size_t n, ErrorCode code, bool for_ever) {
  auto before = [=](const FileCall& call) {
    bool is_due = call.num_changing == n || (for_ever && call.num_changing > n);
    if (call.is_changing() && is_due) {
      fail(code, call_name(call.kind), " ", call.path, ": fault at changing call ",
           call.num_changing);
    }
  };
  return {.before = before, .shorten = {}, .damage = {}};
}

struct FaultyFileSystem::FaultyReader : ReadableFile {
  std::uint64_t num_bytes() const override { return inner->num_bytes(); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    FileCall call = record_call(*fault, *num_changing, FileCall::Kind::read, path);
    inner->read(offset, out);
    if (fault->damage) fault->damage(call, out);
  }

  std::unique_ptr<ReadableFile> inner;
  std::shared_ptr<const Fault> fault;
  Counter num_changing;
  std::string path;
};

template <typename File>
struct FaultyFileSystem::FaultyWriter : File {
  void append(std::span<const std::byte> bytes) override {
    FileCall call = record(FileCall::Kind::append);
    std::size_t num_kept = fault->shorten ? fault->shorten(call, bytes.size()) : bytes.size();
    inner->append(bytes.subspan(0, num_kept));
    if (num_kept < bytes.size()) append(bytes.subspan(num_kept));
  }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    FileCall call = record(FileCall::Kind::append);
    const std::size_t num_kept = fault->shorten ? fault->shorten(call, bytes.size()) : bytes.size();
    inner->write_at(offset, bytes.subspan(0, num_kept));
    if (num_kept < bytes.size()) write_at(offset + num_kept, bytes.subspan(num_kept));
  }
  void sync() override {
    record(FileCall::Kind::sync);
    inner->sync();
  }
  void close() override {
    record(FileCall::Kind::close);
    inner->close();
  }
  FileCall record(FileCall::Kind kind) const {
    return record_call(*fault, *num_changing, kind, path);
  }

  std::unique_ptr<File> inner;
  std::shared_ptr<const Fault> fault;
  Counter num_changing;
  std::string path;
};

struct FaultyFileSystem::FaultyAppender : FaultyWriter<AppendableFile> {
  std::uint64_t num_bytes() const override { return inner->num_bytes(); }
  void truncate(std::uint64_t num_bytes) override {
    record(FileCall::Kind::truncate);
    inner->truncate(num_bytes);
  }
};

template <typename Writer, typename File>
std::unique_ptr<Writer> FaultyFileSystem::wrap(std::unique_ptr<File> inner,
                                               std::string_view path) const {
  auto out = std::make_unique<Writer>();
  out->inner = std::move(inner);
  out->fault = fault_;
  out->num_changing = num_changing_;
  out->path = path;
  return out;
}

FileCall FaultyFileSystem::record(FileCall::Kind kind, std::string_view path) const {
  return record_call(*fault_, *num_changing_, kind, path);
}

std::optional<FileInfo> FaultyFileSystem::find(std::string_view path) const {
  record(FileCall::Kind::find, path);
  return inner_->find(path);
}

std::vector<FolderEntry> FaultyFileSystem::list(std::string_view path) const {
  record(FileCall::Kind::list, path);
  return inner_->list(path);
}

std::unique_ptr<ReadableFile> FaultyFileSystem::open(std::string_view path) const {
  record(FileCall::Kind::open, path);
  return wrap<FaultyReader>(inner_->open(path), path);
}

std::unique_ptr<WritableFile> FaultyFileSystem::create(std::string_view path) {
  record(FileCall::Kind::create, path);
  return wrap<FaultyWriter<WritableFile>>(inner_->create(path), path);
}

std::unique_ptr<WritableFile> FaultyFileSystem::update(std::string_view path) {
  record(FileCall::Kind::append_to, path);
  return wrap<FaultyWriter<WritableFile>>(inner_->update(path), path);
}

std::unique_ptr<AppendableFile> FaultyFileSystem::append(std::string_view path) {
  record(FileCall::Kind::append_to, path);
  return wrap<FaultyAppender>(inner_->append(path), path);
}

std::unique_ptr<FileLock> FaultyFileSystem::lock(std::string_view path, std::string_view text) {
  record(FileCall::Kind::lock, path);
  return inner_->lock(path, text);
}

void FaultyFileSystem::make_folder(std::string_view path) {
  record(FileCall::Kind::make_folder, path);
  inner_->make_folder(path);
}

void FaultyFileSystem::rename(std::string_view from, std::string_view to) {
  record(FileCall::Kind::rename, from);
  inner_->rename(from, to);
}

void FaultyFileSystem::remove(std::string_view path) {
  record(FileCall::Kind::remove, path);
  inner_->remove(path);
}

void FaultyFileSystem::sync_folder(std::string_view path) {
  record(FileCall::Kind::sync_folder, path);
  inner_->sync_folder(path);
}

}  // namespace meshwright::io
