// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/io_testutil.h"

#include <cstdlib>

namespace meshwright::io {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::string pattern = (parent / "meshwright_io_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail(ErrorCode::internal, "no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::optional<ErrorCode> code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

}  // namespace meshwright::io
