// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/number_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/data/core/last_use.h"
#include "meshwright/data/core/mapped_file.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {
namespace {

// Changes whenever the meaning of a stored array does.
constexpr std::string_view kVersion = "1";
constexpr std::string_view kSuffix = ".numbers", kUnfinished = ".unfinished";
constexpr std::size_t kDigestBytes = 32;  // at the end of a file
constexpr std::size_t kBlock = 1 << 17;   // numbers that are written or read at once

std::string digest_of(const io::ReadableFile& file, std::uint64_t num_bytes) {
  Digest digest;
  io::Buffer block(std::min<std::uint64_t>(num_bytes, kBlock * sizeof(std::int64_t)));
  for (std::uint64_t begin = 0; begin < num_bytes; begin += block.size()) {
    const auto part = block.span().first(std::min<std::uint64_t>(block.size(), num_bytes - begin));
    file.read(begin, part);
    digest.update(io::as_text(part));
  }
  return digest.hex();
}

// Returns nullopt if the file does not exist. Throws if it cannot be read.
std::optional<Numbers> find(const io::FileSystem& folder, const std::string& name) {
  if (!folder.find(name)) return std::nullopt;
  const std::unique_ptr<io::ReadableFile> file = folder.open(name);
  const std::uint64_t size = file->num_bytes();
  if (size < kDigestBytes) fail(ErrorCode::data_loss, folder.full_name(name), ": is truncated");
  std::string stored(kDigestBytes, ' ');
  file->read(size - kDigestBytes, std::as_writable_bytes(std::span(stored)));
  if (size % sizeof(std::int64_t) != 0 || digest_of(*file, size - kDigestBytes) != stored)
    fail(ErrorCode::data_loss, folder.full_name(name), ": checksum mismatch");
  const auto mapped = std::make_shared<const MappedFile>(
      folder.full_name(name), static_cast<std::int64_t>(size - kDigestBytes));
  return Numbers(mapped->as<std::int64_t>(), mapped);
}

std::optional<Numbers> find_readable(const io::FileSystem& folder, const std::string& name) {
  try {
    return find(folder, name);
  } catch (const Error& error) {
    log_warning("an index of the data cannot be read and is made again: ", error.what());
    return std::nullopt;
  }
}

// Returns null if the folder cannot be written.
std::unique_ptr<io::WritableFile> create(io::FileSystem& folder, const std::string& name) {
  try {
    folder.make_folder("");
    return folder.create(name);
  } catch (const Error& error) {
    log_warning("an index of the data is kept in memory: ", error.what());
    return nullptr;
  }
}

class Writer {
 public:
  explicit Writer(io::WritableFile& file) : file_(file) { block_.reserve(kBlock); }
  void append(std::int64_t number) {
    block_.push_back(number);
    if (block_.size() == kBlock) flush();
  }
  void finish() {
    flush();
    const std::string digest = digest_.hex();
    file_.append(std::as_bytes(std::span(digest)));
    file_.close();
  }

 private:
  void flush() {
    const auto bytes = std::as_bytes(std::span(block_));
    file_.append(bytes);
    digest_.update(io::as_text(bytes));
    block_.clear();
  }

  io::WritableFile& file_;
  Digest digest_;
  std::vector<std::int64_t> block_;
};

Numbers in_memory(const std::function<void(const AppendNumber&)>& make) {
  std::vector<std::int64_t> out;
  make([&](std::int64_t number) { out.push_back(number); });
  return out;
}

// Several processes may write the same file.
std::string temporary(const std::string& name) {
  static std::atomic<int> count = 0;
  return str(name, ".", ::getpid(), ".", count++, kUnfinished);
}

}  // namespace

Numbers::Numbers(std::vector<std::int64_t> values) {
  const auto owned = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
  values_ = *owned;
  owner_ = owned;
}

Numbers NumberStore::get(std::string_view key,
                         const std::function<void(const AppendNumber&)>& make) const {
  if (folder_.empty()) return in_memory(make);
  const auto folder = io::open_file_system(folder_.string());
  const std::string name = str(digest_hex(str(kVersion, " ", key)), kSuffix);
  if (std::optional<Numbers> found = find_readable(*folder, name)) {
    note_use(folder_ / name);
    return *std::move(found);
  }
  const std::string unfinished = temporary(name);
  const std::unique_ptr<io::WritableFile> file = create(*folder, unfinished);
  if (file == nullptr) return in_memory(make);
  Writer writer(*file);
  make([&](std::int64_t number) { writer.append(number); });
  writer.finish();
  folder->rename(unfinished, name);
  return find(*folder, name).value();
}

std::vector<StoredNumbers> NumberStore::files() const {
  std::vector<StoredNumbers> out;
  std::error_code ignored;
  if (folder_.empty() || !std::filesystem::is_directory(folder_, ignored)) return out;
  const auto folder = io::open_file_system(folder_.string());
  for (const io::FolderEntry& entry : folder->list("")) {
    if (!entry.name.ends_with(kSuffix) && !entry.name.ends_with(kUnfinished)) continue;
    const std::optional<io::FileInfo> info = folder->find(entry.name);
    if (!info) continue;
    const std::filesystem::path path = folder_ / entry.name;
    out.push_back({path, static_cast<std::int64_t>(info->num_bytes), last_use_seconds(path)});
  }
  return out;
}

}  // namespace meshwright::data
