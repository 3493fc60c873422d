// SPDX-License-Identifier: Apache-2.0
// Error, the only exception type of the project.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "meshwright/base/str.h"

namespace meshwright {

/// Category of an error. The command line maps it to an exit code.
enum class ErrorCode {
  invalid_argument,  // the caller or user made an invalid request
  not_found,
  already_exists,
  data_loss,           // stored bytes are damaged or missing
  no_checkpoint,       // no checkpoint can be used, or the checkpoint folder was moved
  unavailable,         // a retry may succeed
  resource_exhausted,  // out of space, memory or handles: an immediate retry will not help
  unimplemented,       // not supported by this program or by a plugin
  device,              // a plugin, driver or accelerator failed or cannot serve the request
  numerics,            // non-finite values where the policy forbids them
  internal,            // a bug in Meshwright
};

std::string_view error_code_name(ErrorCode code);

/// An error whose message says what failed, where and why. A remedy, if any, follows on a separate
/// line.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return code_; }
  /// Returns the same text as what(), including any context that with_context() has added.
  const std::string& message() const { return message_; }

  /// Returns a copy whose message is prefixed with `context`: "restoring step 12: <message>".
  Error with_context(std::string_view context) const;

 private:
  ErrorCode code_;
  std::string message_;
};

/// Throws an Error whose message is the concatenation of `parts`.
template <typename... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, str(parts...));
}

}  // namespace meshwright
