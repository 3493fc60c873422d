// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/io_testutil.h"

namespace meshwright::io {

std::optional<ErrorCode> code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

}  // namespace meshwright::io
