// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace meshwright::hostile {

/// Memory that a reader may take, and time of the processor.
inline constexpr std::uint64_t kMaxAddedBytes = std::uint64_t{400} << 20;
inline constexpr int kMaxSeconds = 30;

/// False under sanitizers, which take more of both.
bool limits_memory();

/// Runs `read` in a process of its own. Returns what went wrong: a crash, memory or time beyond the
/// limits, an exception that is no Error. Empty if it returned or threw an Error.
std::string trouble_of(const std::function<void()>& read);

}  // namespace meshwright::hostile
