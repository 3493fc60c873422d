// SPDX-License-Identifier: Apache-2.0
// Readers of foreign text and bytes, each as a function that must return.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshwright::fuzz {

struct Target {
  std::string_view name;  // also its folder in corpus/
  /// Reads the bytes. Throwing an Error that a user may cause is allowed. Any other exception, and
  /// text that changes when it is written and read again, is a finding.
  void (*read)(std::string_view bytes);
};

std::span<const Target> targets();

/// Makes a finding of what a target should never see.
void require(bool holds, std::string_view otherwise);

/// Returns the finding of a target for these bytes; empty if there is none.
std::string finding(const Target& target, std::string_view bytes);

}  // namespace meshwright::fuzz
