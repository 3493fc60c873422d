// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/new_folder.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {

NewFolder::NewFolder(Files files, std::string path, bool continues)
    : files_(std::move(files)),
      path_(std::move(path)),
      unfinished_(with_prefix(kUnfinished, path_)) {
  MW_CHECK(files_->can_rename(), full_name(), ": storage without renaming cannot hold it");
  if (files_->find(path_)) fail(ErrorCode::already_exists, full_name(), ": already exists");
  if (!continues) remove_tree(*files_, unfinished_);
}

Files NewFolder::make_folder() {
  files_->make_folder(unfinished_);
  files_->sync_folder(io::parent_of(unfinished_));
  return io::subtree(files_, unfinished_);
}

std::string NewFolder::full_name() const {
  return files_->full_name(path_);
}

void NewFolder::publish() {
  if (io::is_folder(*files_, unfinished_)) files_->sync_folder(unfinished_);
  rename_durably(*files_, unfinished_, path_);
}

void NewFolder::abandon() noexcept {
  try {
    remove_tree(*files_, unfinished_);
  } catch (const Error& error) {
    log_warning("removing the unfinished ", files_->full_name(unfinished_), ": ", error.what());
  }
}

}  // namespace meshwright::checkpoint
