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
      fail(ErrorCode::data_loss, name, ": ends at byte ", size, ", before byte ", offset, " + ",
           out.size());
    }
    std::ranges::copy(as_bytes(content->bytes).subspan(offset, out.size()), out.begin());
  }

  std::shared_ptr<Content> content;
  std::string name;
};

struct MemoryFileSystem::MemoryWriter : WritableFile {
  explicit MemoryWriter(std::shared_ptr<Content> written) : content(std::move(written)) {}

  void append(std::span<const std::byte> bytes) override {
    std::lock_guard lock(content->mutex);
    content->bytes += as_text(bytes);
  }
  void sync() override {
    std::lock_guard lock(content->mutex);
    content->synced = content->bytes;
  }
  void close() override {}

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

void MemoryFileSystem::check_folder(std::string_view path) const {
  auto found = names_.find(path);
  if (found == names_.end()) fail(ErrorCode::not_found, full_name(path), ": no such folder");
  MW_CHECK(found->second == nullptr, full_name(path), ": is no folder");
}

std::optional<FileInfo> MemoryFileSystem::find(std::string_view path) const {
  check_path(path);
  std::lock_guard lock(mutex_);
  auto found = names_.find(path);
  if (found == names_.end()) return std::nullopt;
  if (found->second == nullptr) return FileInfo{FileKind::folder, 0, 0};
  std::lock_guard content_lock(found->second->mutex);
  return FileInfo{FileKind::file, found->second->bytes.size(), 0};
}

std::vector<FolderEntry> MemoryFileSystem::list(std::string_view path) const {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_folder(path);
  std::vector<FolderEntry> out;
  for (const auto& [name, content] : names_) {
    if (name.empty() || parent_of(name) != path) continue;
    out.push_back({name_of(name), content == nullptr ? FileKind::folder : FileKind::file});
  }
  std::ranges::sort(out, {}, &FolderEntry::name);
  return out;
}

std::unique_ptr<ReadableFile> MemoryFileSystem::open(std::string_view path) const {
  check_path(path);
  std::lock_guard lock(mutex_);
  auto found = names_.find(path);
  if (found == names_.end()) fail(ErrorCode::not_found, full_name(path), ": no such file");
  MW_CHECK(found->second != nullptr, full_name(path), ": is no plain file");
  return std::make_unique<MemoryReader>(found->second, full_name(path));
}

void MemoryFileSystem::apply(const Change& change, Names& names) {
  if (!change.from.empty()) {
    if (!names.contains(change.from)) return;  // its coming into being was lost
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

std::unique_ptr<WritableFile> MemoryFileSystem::create(std::string_view path) {
  check_path(path);
  std::lock_guard lock(mutex_);
  check_folder(parent_of(path));
  auto found = names_.find(path);
  MW_CHECK(found == names_.end() || found->second != nullptr, full_name(path), ": is a folder");
  if (found != names_.end()) {
    std::lock_guard content_lock(found->second->mutex);
    found->second->bytes.clear();  // what is on the disk goes when the new bytes come
    return std::make_unique<MemoryWriter>(found->second);
  }
  auto content = std::make_shared<Content>();
  change({"", std::string(path), content});
  return std::make_unique<MemoryWriter>(content);
}

void MemoryFileSystem::make_folder(std::string_view path) {
  std::lock_guard lock(mutex_);
  std::string here;
  for (const std::string& component : path_components(path)) {
    here = join_path(here, component);
    auto found = names_.find(here);
    if (found == names_.end()) {
      change({"", here, nullptr});
    } else if (found->second != nullptr) {
      fail(ErrorCode::already_exists, full_name(here), ": a file is in the way of the folder");
    }
  }
}

void MemoryFileSystem::rename(std::string_view from, std::string_view to) {
  check_path(from);
  check_path(to);
  std::lock_guard lock(mutex_);
  if (!names_.contains(from)) fail(ErrorCode::not_found, full_name(from), ": nothing to rename");
  check_folder(parent_of(to));
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
  check_folder(path);
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
  std::map<const Content*, std::shared_ptr<Content>> copies;  // a file may have several names here
  auto copy_of = [&](const std::shared_ptr<Content>& content) {
    if (content == nullptr) return content;
    std::shared_ptr<Content>& out = copies[content.get()];
    if (out == nullptr) {
      std::lock_guard content_lock(content->mutex);
      out = std::make_shared<Content>();
      out->bytes = content->bytes;
      out->synced = content->synced;
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
  return out;
}

std::string MemoryFileSystem::image() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, content] : names_) {
    out.append(name).push_back('\0');
    if (content == nullptr) continue;
    std::lock_guard content_lock(content->mutex);
    out += str(content->bytes.size(), ":", content->bytes);
  }
  return out;
}

}  // namespace meshwright::io
