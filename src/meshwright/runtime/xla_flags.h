// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "meshwright/pjrt/plugin.h"

namespace meshwright::runtime {

/// Checks XLA_FLAGS. XLA reads them on first use and ends the process if it does not know a flag,
/// so this runs `first_use` in a forked process beforehand. If XLA ends that process, throws
/// invalid_argument with XLA's message, or device if Meshwright set the flag. Ignores exceptions
/// from `first_use`, which will recur in this process.
void check_xla_flags(const pjrt::Plugin& plugin, const std::function<void()>& first_use);

/// Checks XLA_FLAGS by creating a client, which takes 10 ms on the CPU.
void check_xla_flags(const pjrt::Plugin& plugin, std::string_view platform);

/// Extracts XLA's message about XLA_FLAGS, without prefixes, from the stderr of a process; empty if
/// there is none.
std::string xla_flags_complaint(std::string_view written);

}  // namespace meshwright::runtime
