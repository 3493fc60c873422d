// SPDX-License-Identifier: Apache-2.0
// What reads text or bytes that somebody else wrote, each as a function that must return.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshwright::fuzz {

struct Target {
  std::string_view name;  // and its folder in corpus/
  /// Reads the bytes. Refusing them with an Error that a user may cause is fine; anything else that
  /// is thrown, and text that changes when it is written and read again, is a finding.
  void (*read)(std::string_view bytes);
};

std::span<const Target> targets();

/// What is wrong with how a target took these bytes; empty if nothing is.
std::string finding(const Target& target, std::string_view bytes);

}  // namespace meshwright::fuzz
