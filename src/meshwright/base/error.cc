// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/error.h"

namespace meshwright {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::already_exists:
      return "already exists";
    case ErrorCode::data_loss:
      return "data loss";
    case ErrorCode::no_checkpoint:
      return "no usable checkpoint";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::resource_exhausted:
      return "resource exhausted";
    case ErrorCode::unimplemented:
      return "unimplemented";
    case ErrorCode::device:
      return "device error";
    case ErrorCode::numerics:
      return "numerics";
    case ErrorCode::internal:
      return "internal error";
  }
  return "unknown error";
}

Error::Error(ErrorCode code, std::string message)
    : std::runtime_error(message), code_(code), message_(std::move(message)) {}

Error Error::with_context(std::string_view context) const {
  return Error(code_, str(context, ": ", message_));
}

}  // namespace meshwright
