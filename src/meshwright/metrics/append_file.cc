// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/append_file.h"

#include <span>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/io/path.h"

namespace meshwright::metrics {

AppendFile::AppendFile(Files files, std::string path)
    : files_(std::move(files)), path_(std::move(path)) {
  files_->make_folder(io::parent_of(path_));
  file_ = files_->append(path_);
  num_bytes_ = static_cast<std::int64_t>(file_->num_bytes());
}

void AppendFile::append(std::string_view record) {
  try {
    file_->append(std::as_bytes(std::span(record)));
  } catch (const Error& error) {
    try {
      file_->truncate(static_cast<std::uint64_t>(num_bytes_));
    } catch (const Error&) {
      throw error.with_context("a partial record remains");
    }
    throw;
  }
  num_bytes_ += std::ssize(record);
}

bool AppendFile::ends_with(char last) const {
  return num_bytes_ > 0 && io::read_end(*files_, path_, 1)[0] == last;
}

}  // namespace meshwright::metrics
