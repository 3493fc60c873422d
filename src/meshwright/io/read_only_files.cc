// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/read_only_files.h"

#include "meshwright/base/error.h"

namespace meshwright::io {

void ReadOnlyFiles::refuse(std::string_view path) const {
  fail(ErrorCode::invalid_argument, full_name(path), ": cannot be changed, only read");
}

}  // namespace meshwright::io
