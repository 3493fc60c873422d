// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace meshwright::hostile {

/// Limits of a reader: memory and processor time.
inline constexpr std::uint64_t kMaxAddedBytes = std::uint64_t{400} << 20;
inline constexpr int kMaxSeconds = 30;

/// False under sanitizers, which need more of both.
bool limits_memory();

/// Runs `read` in a separate process. Returns a description of a crash, of memory or time beyond
/// the limits, or of an exception other than Error. Empty if it returned or threw an Error.
std::string trouble_of(const std::function<void()>& read);

}  // namespace meshwright::hostile
