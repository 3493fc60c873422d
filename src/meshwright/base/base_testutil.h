// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright {

/// Returns the Error that the action throws. Fails the test if the action does not throw.
Error thrown_by(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error(ErrorCode::internal, "no error");
}

/// Returns the message of the Error that the action throws; "no error" if it does not throw.
std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

/// Like message_of(), prefixed with the name of the error code: "invalid argument: execute: ...".
std::string coded_message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return str(error_code_name(error.code()), ": ", error.message());
  }
  return "no error";
}

/// Returns the bytes of a file; "" if it cannot be read.
inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the number of occurrences of `part` in `text`, overlapping ones included.
inline int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace meshwright
