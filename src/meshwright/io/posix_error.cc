// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/posix_error.h"

#include <filesystem>
#include <system_error>

#include <sys/resource.h>

#include "meshwright/base/error.h"

namespace meshwright::io {
namespace {

ErrorCode code_of(int number) {
  switch (number) {
    case ENOENT:
      return ErrorCode::not_found;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorCode::already_exists;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::resource_exhausted;
    case EIO:
    case EAGAIN:
    case EBUSY:
    case ESTALE:
    case ETIMEDOUT:
      return ErrorCode::unavailable;
    default:
      return ErrorCode::invalid_argument;
  }
}

// Explains what the number alone does not.
std::string hint_of(int number, std::string_view name) {
  std::error_code ignored;
  switch (number) {
    case ENOSPC:
    case EDQUOT: {
      std::filesystem::path folder = std::filesystem::path(name).parent_path();
      std::filesystem::space_info space = std::filesystem::space(folder, ignored);
      if (ignored) return "\nfree some space";
      return str("\nfree some space: ", space.available, " bytes are available");
    }
    case EFBIG: {
      rlimit limit = {};
      if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
      return str("\nthe file size limit is ", limit.rlim_cur, " bytes (ulimit -f)");
    }
    case ELOOP:
    case ENOTDIR:
      return "\na link or file is in the way; links below this folder are not followed";
    case EMFILE:
    case ENFILE:
      return "\nraise the limit on open files (ulimit -n)";
    default:
      return "";
  }
}

}  // namespace

void fail_errno(std::string_view doing, std::string_view name, int number) {
  fail(code_of(number), doing, " ", name, ": ", std::generic_category().message(number),
       hint_of(number, name));
}

}  // namespace meshwright::io
