// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/memory_file_system.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"

namespace meshwright::io {

struct MemoryFileSystem::Content {
  std::mutex mutex;
  std::string bytes;
  std::string synced;
  bool is_plain = true;  // otherwise a link, pipe or device
  bool is_locked = false;
};

struct MemoryFileSystem::MemoryReader : ReadableFile {
  MemoryReader(std::shared_ptr<Content> read, std::string full_name)
      : content(std::move(read)), name(std::move(full_name)) {}

  std::uint64_t num_bytes() const override {
    std::lock_guard lock(content->mutex);
    return content->bytes.size();
  }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::lock_guard lock(content->mutex);
    std::size_t size = content->bytes.size();
    if (offset > size || out.size() > size - offset) {
      fail(ErrorCode::data_loss, name, ": has ", size, " bytes, cannot read ", out.size(),
           " at byte ", offset);
    }
    std::ranges::copy(as_bytes(content->bytes).subspan(offset, out.size()), out.begin());
  }

  std::shared_ptr<Content> content;
  std::string name;
};

template <typename File>
struct MemoryFileSystem::MemoryWriter : File {
  explicit MemoryWriter(std::shared_ptr<Content> written) : content(std::move(written)) {}

  void append(std::span<const std::byte> bytes) override {
    std::lock_guard lock(content->mutex);
    content->bytes += as_text(bytes);
  }
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    std::lock_guard lock(content->mutex);
    if (content->bytes.size() < offset + bytes.size()) content->bytes.resize(offset + bytes.size());
    content->bytes.replace(offset, bytes.size(), as_text(bytes));
  }
  void sync() override {
    std::lock_guard lock(content->mutex);
    content->synced = content->bytes;
  }
  void close() override {}

  std::shared_ptr<Content> content;
};

struct MemoryFileSystem::MemoryAppender : MemoryWriter<AppendableFile> {
  using MemoryWriter::MemoryWriter;

  std::uint64_t num_bytes() const override {
    std::lock_guard lock(content->mutex);
    return content->bytes.size();
  }
  void truncate(std::uint64_t num_bytes) override {
    std::lock_guard lock(content->mutex);
    content->bytes.resize(num_bytes);
  }
};

struct MemoryFileSystem::MemoryLock : FileLock {
  MemoryLock(const MemoryFileSystem& disk, std::string_view path, std::shared_ptr<Content> locked)
      : files(disk), name(path), content(std::move(locked)) {}
  ~MemoryLock() override {
    std::lock_guard lock(content->mutex);
    content->is_locked = false;
  }
  bool is_in_place() const override {
    std::lock_guard lock(files.mutex_);
    auto found = files.names_.find(name);
    return found != files.names_.end() && found->second == content;
  }

  const MemoryFileSystem& files;
  std::string name;
  std::shared_ptr<Content> content;
};

namespace {

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

MemoryFileSystem::MemoryFileSystem() {
  names_[""] = nullptr;
  durable_names_[""] = nullptr;
}

std::string MemoryFileSystem::full_name(std::string_view path) const {
  return str("memory:/", path);
}

void MemoryFileSystem::check_way(std::string_view path, ErrorCode if_other) const {
  for (std::string here = parent_of(path); !here.empty(); here = parent_of(here)) {
    auto found = names_.find(here);
    if (found != names_.end() && found->second != nullptr)
      fail(if_other, full_name(here), ": is not a folder");
  }
}

void MemoryFileSystem::check_folder(std::string_view path, ErrorCode if_other) const {
  check_way(path, if_other);
  auto found = names_.find(path);
  if (found == names_.end()) fail(ErrorCode::not_found, full_name(path), ": no such folder");
  if (found->second != nullptr) fail(if_other, full_name(path), ": is not a folder");
}

std::optional<FileInfo> MemoryFileSystem::find(std::string_view path) const {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_way(path, ErrorCode::data_loss);
  auto found = names_.find(path);
  if (found == names_.end()) return std::nullopt;
  if (found->second == nullptr) return FileInfo{FileKind::folder, 0, 0};
  std::lock_guard content_lock(found->second->mutex);
  if (!found->second->is_plain) return FileInfo{FileKind::other, 0, 0};
  return FileInfo{FileKind::file, found->second->bytes.size(), 0};
}

std::vector<FolderEntry> MemoryFileSystem::list(std::string_view path) const {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_folder(path, ErrorCode::data_loss);
  std::vector<FolderEntry> out;
  for (const auto& [name, content] : names_) {
    if (name.empty() || parent_of(name) != path) continue;
    FileKind kind = FileKind::folder;
    if (content != nullptr) kind = content->is_plain ? FileKind::file : FileKind::other;
    out.push_back({name_of(name), kind});
  }
  std::ranges::sort(out, {}, &FolderEntry::name);
  return out;
}

std::unique_ptr<ReadableFile> MemoryFileSystem::open(std::string_view path) const {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_way(path, ErrorCode::data_loss);
  auto found = names_.find(path);
  if (found == names_.end()) fail(ErrorCode::not_found, full_name(path), ": no such file");
  if (found->second == nullptr || !found->second->is_plain)
    fail(ErrorCode::data_loss, full_name(path), ": is not a plain file");
  return std::make_unique<MemoryReader>(found->second, full_name(path));
}

void MemoryFileSystem::apply(const Change& change, Names& names) {
  if (!change.from.empty()) {
    if (!names.contains(change.from)) return;  // its creation was lost
    for (auto it = names.begin(); it != names.end();) {
      bool moves = it->first == change.from || is_below(it->first, change.from);
      if (moves && !change.to.empty()) {
        names[change.to + it->first.substr(change.from.size())] = it->second;
      }
      it = moves ? names.erase(it) : std::next(it);
    }
  } else if (names.contains(parent_of(change.to))) {
    names[change.to] = change.content;
  }
}

void MemoryFileSystem::change(Change change) {
  apply(change, names_);
  pending_.push_back(std::move(change));
}

std::shared_ptr<MemoryFileSystem::Content> MemoryFileSystem::open_to_write(std::string_view path) {
  check_path(path);
  check_folder(parent_of(path), ErrorCode::invalid_argument);
  auto found = names_.find(path);
  if (found != names_.end()) {
    MW_CHECK(found->second != nullptr, full_name(path), ": is a folder");
    MW_CHECK(found->second->is_plain, full_name(path), ": is not a plain file\nmove it away");
    return found->second;
  }
  auto content = std::make_shared<Content>();
  change({"", std::string(path), content});
  return content;
}

std::unique_ptr<WritableFile> MemoryFileSystem::create(std::string_view path) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Content> content = open_to_write(path);
  std::lock_guard content_lock(content->mutex);
  content->bytes.clear();  // synced bytes stay until the new ones are written
  return std::make_unique<MemoryWriter<WritableFile>>(content);
}

std::unique_ptr<WritableFile> MemoryFileSystem::update(std::string_view path) {
  std::lock_guard lock(mutex_);
  return std::make_unique<MemoryWriter<WritableFile>>(open_to_write(path));
}

std::unique_ptr<AppendableFile> MemoryFileSystem::append(std::string_view path) {
  std::lock_guard lock(mutex_);
  return std::make_unique<MemoryAppender>(open_to_write(path));
}

std::unique_ptr<FileLock> MemoryFileSystem::lock(std::string_view path, std::string_view text) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Content> content = open_to_write(path);
  std::lock_guard content_lock(content->mutex);
  if (std::exchange(content->is_locked, true)) return nullptr;
  content->bytes = text;
  return std::make_unique<MemoryLock>(*this, path, content);
}

void MemoryFileSystem::make_folder(std::string_view path) {
  std::lock_guard lock(mutex_);
  check_path(path);
  check_folder("", ErrorCode::invalid_argument);  // a removed root does not come back
  check_way(path, ErrorCode::invalid_argument);
  std::string here;
  for (const std::string& component : path_components(path)) {
    here = join_path(here, component);
    auto found = names_.find(here);
    if (found == names_.end()) {
      change({"", here, nullptr});
    } else if (found->second != nullptr) {
      MW_CHECK(found->second->is_plain, full_name(here), ": is not a folder\nmove it away");
      fail(ErrorCode::already_exists, full_name(here), ": a file is in the way of the folder");
    }
  }
}

void MemoryFileSystem::rename(std::string_view from, std::string_view to) {
  check_path(from);
  check_path(to);
  std::lock_guard lock(mutex_);
  if (!names_.contains(from)) fail(ErrorCode::not_found, full_name(from), ": nothing to rename");
  check_folder(parent_of(to), ErrorCode::invalid_argument);
  bool is_full = std::ranges::any_of(names_, [&](const auto& n) { return is_below(n.first, to); });
  if (is_full) fail(ErrorCode::already_exists, full_name(to), ": is a folder that is not empty");
  change({std::string(from), std::string(to), nullptr});
}

void MemoryFileSystem::remove(std::string_view path) {
  check_path(path);
  std::lock_guard lock(mutex_);
  if (!names_.contains(path)) fail(ErrorCode::not_found, full_name(path), ": nothing to remove");
  bool is_full =
      std::ranges::any_of(names_, [&](const auto& n) { return is_below(n.first, path); });
  if (is_full) fail(ErrorCode::already_exists, full_name(path), ": is a folder that is not empty");
  change({std::string(path), "", nullptr});
}

void MemoryFileSystem::sync_folder(std::string_view path) {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_folder(path, ErrorCode::invalid_argument);
  std::vector<Change> others;
  for (Change& change : pending_) {
    bool is_here = (!change.from.empty() && parent_of(change.from) == path) ||
                   (!change.to.empty() && parent_of(change.to) == path);
    if (is_here) {
      apply(change, durable_names_);
    } else {
      others.push_back(std::move(change));
    }
  }
  pending_ = std::move(others);
}

void MemoryFileSystem::lose_power(const Survives& survives) {
  std::lock_guard lock(mutex_);
  for (const Change& change : pending_) {
    if (survives(1) == 1) apply(change, durable_names_);
  }
  pending_.clear();
  for (auto& [name, content] : durable_names_) {
    if (content == nullptr) continue;
    std::lock_guard content_lock(content->mutex);
    if (content->bytes == content->synced) continue;
    bool grew = content->bytes.starts_with(content->synced);
    std::size_t kept = survives(content->bytes.size() - (grew ? content->synced.size() : 0));
    if (grew) {
      content->bytes.resize(content->synced.size() + kept);
    } else if (kept > 0) {
      content->bytes.resize(kept);  // overwritten in place: the old bytes are gone
    } else {
      content->bytes = content->synced;
    }
    content->synced = content->bytes;
  }
  names_ = durable_names_;
}

RootState MemoryFileSystem::root_state() const {
  std::lock_guard lock(mutex_);
  return root_state_;
}

void MemoryFileSystem::move_root(std::string now_at, bool is_name_taken) {
  std::lock_guard lock(mutex_);
  const auto kind = now_at.empty() ? RootState::Kind::in_place : RootState::Kind::moved;
  root_state_ = {kind, std::move(now_at), is_name_taken};
}

void MemoryFileSystem::remove_root(bool is_replaced) {
  std::lock_guard lock(mutex_);
  const auto kind = is_replaced ? RootState::Kind::replaced : RootState::Kind::removed;
  root_state_ = {kind, "", is_replaced};
  names_.clear();
  durable_names_.clear();
  pending_.clear();
}

void MemoryFileSystem::put_other(std::string_view path) {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_folder(parent_of(path), ErrorCode::invalid_argument);
  auto other = std::make_shared<Content>();
  other->is_plain = false;
  change({"", std::string(path), other});
}

std::string& MemoryFileSystem::content(std::string_view path) {
  std::lock_guard lock(mutex_);
  auto found = names_.find(path);
  if (found == names_.end() || found->second == nullptr) {
    fail(ErrorCode::not_found, full_name(path), ": no such file");
  }
  return found->second->bytes;
}

std::vector<std::string> MemoryFileSystem::files() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [name, content] : names_) {
    if (content != nullptr) out.push_back(name);
  }
  return out;
}

std::shared_ptr<MemoryFileSystem> MemoryFileSystem::copy() const {
  std::lock_guard lock(mutex_);
  std::map<const Content*, std::shared_ptr<Content>> copies;  // here a file may have several names
  auto copy_of = [&](const std::shared_ptr<Content>& content) {
    if (content == nullptr) return content;
    std::shared_ptr<Content>& out = copies[content.get()];
    if (out == nullptr) {
      std::lock_guard content_lock(content->mutex);
      out = std::make_shared<Content>();
      out->bytes = content->bytes;
      out->synced = content->synced;
      out->is_plain = content->is_plain;
    }
    return out;
  };
  auto out = std::make_shared<MemoryFileSystem>();
  for (const auto& [name, content] : names_)
    out->names_[name] = copy_of(content);
  for (const auto& [name, content] : durable_names_)
    out->durable_names_[name] = copy_of(content);
  for (const Change& change : pending_)
    out->pending_.push_back({change.from, change.to, copy_of(change.content)});
  out->root_state_ = root_state_;
  return out;
}

std::string MemoryFileSystem::image() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, content] : names_) {
    out.append(name).push_back('\0');
    if (content == nullptr) continue;
    std::lock_guard content_lock(content->mutex);
    out += content->is_plain ? str(content->bytes.size(), ":", content->bytes) : "other";
  }
  return out;
}

}  // namespace meshwright::io
