// SPDX-License-Identifier: Apache-2.0
// Remedies that depend on who uses the library. The library names its own interface; a program
// reads the kind of remedy from the error and names its own options instead. Other remedies are
// part of an Error's message.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/base/error.h"

namespace meshwright {

enum class RemedyKind {
  start_fresh,    // train from step 0 despite existing checkpoints
  go_back,        // go back to an older checkpoint, moving newer ones aside
  choose_plugin,  // select a PJRT plugin
  limit_tokens,   // generate fewer tokens; arguments: the limit, if one is known to work
  set_config,     // set config keys; arguments: key, value, key, value, ...
  list_keys,      // list config keys; arguments: the table, if not the whole config
};

struct Remedy {
  RemedyKind kind;
  std::string purpose;  // "to start from scratch and keep the existing files"
  std::string library;  // how to do it with the library: "Job::fresh"
  std::vector<std::string> arguments = {};
};

/// Returns the remedy "to start from scratch HOW: Job::fresh".
Remedy start_fresh(std::string_view how);

/// Returns a remedy that sets config keys, such as "checkpoint.format = axlearn, ...".
Remedy set_config(std::string purpose,
                  const std::vector<std::pair<std::string, std::string>>& settings);

/// Returns text of the form "PURPOSE: HOW".
std::string remedy_line(const Remedy& remedy, std::string_view how);

/// An error whose message ends in a line with the remedy in the library's words.
class ErrorWithRemedy : public Error {
 public:
  ErrorWithRemedy(ErrorCode code, std::string cause, Remedy remedy);

  /// Returns the message without the remedy's line.
  const std::string& cause() const { return cause_; }
  const Remedy& remedy() const { return remedy_; }

 private:
  std::string cause_;
  Remedy remedy_;
};

/// Throws an ErrorWithRemedy whose cause is the concatenation of `parts`.
template <typename... Parts>
[[noreturn]] void fail_with_remedy(ErrorCode code, Remedy remedy, const Parts&... parts) {
  throw ErrorWithRemedy(code, str(parts...), std::move(remedy));
}

/// Throws the error with `prefix` in front of its message, and with its remedy if it has one.
[[noreturn]] void fail_after(std::string_view prefix, const Error& error);

}  // namespace meshwright
