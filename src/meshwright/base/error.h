// SPDX-License-Identifier: Apache-2.0
// The one exception type of the project.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "meshwright/base/str.h"

namespace meshwright {

/// What kind of thing went wrong; the command line maps it to an exit code.
enum class ErrorCode {
  invalid_argument,  // the caller or the user asked for something that makes no sense
  not_found,
  already_exists,
  data_loss,           // stored bytes are damaged or missing
  no_checkpoint,       // none of the checkpoints can be used, or their folder is not where it was
  unavailable,         // may work if tried again
  resource_exhausted,  // no space, memory or handles left: trying again at once is of no use
  unimplemented,       // a limit of this program or of a plugin
  device,              // a plugin, driver or accelerator failed or does not fit the request
  numerics,            // non-finite values where the policy forbids them
  internal,            // a bug of ours
};

std::string_view error_code_name(ErrorCode code);

/// A message that says what, where and why, with an optional remedy on a line of its own.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return code_; }
  /// The message as given, without the context added on the way up.
  const std::string& message() const { return message_; }

  /// The same error with `context` in front: "restoring step 12: <message>".
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
