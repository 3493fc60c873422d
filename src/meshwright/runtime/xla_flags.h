// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "meshwright/pjrt/plugin.h"

namespace meshwright::runtime {

/// XLA reads XLA_FLAGS when it is first used in a process, and ends the process without a word of
/// ours if it does not know a flag. So a forked process uses it first. Throws invalid_argument with
/// XLA's words if that does not come back, or device if it is a flag of ours. If `first_use`
/// throws, nothing is said: the same will happen here.
void check_xla_flags(const pjrt::Plugin& plugin, const std::function<void()>& first_use);

/// The same by making a client, which takes 10 ms on the CPU.
void check_xla_flags(const pjrt::Plugin& plugin, std::string_view platform);

/// What XLA said about XLA_FLAGS, without its prefixes, in what a process wrote to stderr; empty if
/// it said nothing about them.
std::string xla_flags_complaint(std::string_view written);

}  // namespace meshwright::runtime
