// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright {

/// The message of the Error that the action throws; "no error" if it throws none.
std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

/// The same with the name of the code in front: "invalid argument: execute: ...".
std::string coded_message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return str(error_code_name(error.code()), ": ", error.message());
  }
  return "no error";
}

/// How often `part` stands in the text.
inline int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace meshwright
