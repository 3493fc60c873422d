// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshwright::runtime {

/// Sets the environment variables that XLA reads once, when its plugin is loaded, unless the user
/// set them: quiet logging, and collectives that outlast our own watchdog instead of aborting the
/// process. A file that XLA_FLAGS names takes its place in the variable. Call before the plugin is
/// loaded and before threads start. Throws invalid_argument if that file cannot be read.
void prepare_plugin_environment(std::string_view platform);

/// Puts these before what XLA_FLAGS says, which so wins where both set a flag. Call before
/// prepare_plugin_environment.
void add_xla_flags(std::span<const std::string> flags);

/// XLA_FLAGS without what prepare_plugin_environment adds; empty if there is nothing else.
std::string xla_flags_of_user();

/// The variables that change what plugins do, XLA_FLAGS apart, as "NAME=value ..."; empty if none
/// is set: LIBTPU_INIT_ARGS and those of NCCL.
std::string plugin_variables();

/// Sets up malloc for a process that runs programs on the CPU, where XLA allocates every array and
/// every object around it with malloc: about 30 calls per execution, most from other threads or of
/// other sizes than the one before. The process's memory stays at its peak.
void tune_malloc();

}  // namespace meshwright::runtime
