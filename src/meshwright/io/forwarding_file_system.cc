// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/forwarding_file_system.h"

#include "meshwright/io/path.h"

namespace meshwright::io {

ForwardingFileSystem::ForwardingFileSystem(std::shared_ptr<FileSystem> inner, std::string folder)
    : inner_(std::move(inner)), folder_(std::move(folder)) {
  check_path(folder_);
}

std::string ForwardingFileSystem::inner_path(std::string_view path) const {
  check_path(path);
  return join_path(folder_, path);
}

std::string ForwardingFileSystem::full_name(std::string_view path) const {
  return inner_->full_name(join_path(folder_, path));
}
std::optional<FileInfo> ForwardingFileSystem::find(std::string_view path) const {
  return inner_->find(inner_path(path));
}
std::vector<FolderEntry> ForwardingFileSystem::list(std::string_view path) const {
  return inner_->list(inner_path(path));
}
std::unique_ptr<ReadableFile> ForwardingFileSystem::open(std::string_view path) const {
  return inner_->open(inner_path(path));
}
std::unique_ptr<WritableFile> ForwardingFileSystem::create(std::string_view path) {
  return inner_->create(inner_path(path));
}
std::unique_ptr<WritableFile> ForwardingFileSystem::update(std::string_view path) {
  return inner_->update(inner_path(path));
}
std::unique_ptr<AppendableFile> ForwardingFileSystem::append(std::string_view path) {
  return inner_->append(inner_path(path));
}
std::unique_ptr<FileLock> ForwardingFileSystem::lock(std::string_view path, std::string_view text) {
  return inner_->lock(inner_path(path), text);
}
void ForwardingFileSystem::make_folder(std::string_view path) {
  inner_->make_folder(inner_path(path));
}
void ForwardingFileSystem::rename(std::string_view from, std::string_view to) {
  inner_->rename(inner_path(from), inner_path(to));
}
void ForwardingFileSystem::remove(std::string_view path) {
  inner_->remove(inner_path(path));
}
void ForwardingFileSystem::sync_folder(std::string_view path) {
  inner_->sync_folder(inner_path(path));
}
RootState ForwardingFileSystem::root_state() const {
  return inner_->root_state();
}

}  // namespace meshwright::io
