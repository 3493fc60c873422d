// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace meshwright::runtime {

/// Sets environment variables that XLA reads when its plugin is loaded, unless the user has set
/// them: quiet logging, and collective timeouts longer than the timeout of Meshwright's watchdog,
/// since XLA aborts the process on a timeout. If XLA_FLAGS names a file, replaces the variable's
/// value with the content of the file. Call this before loading a plugin or starting threads.
/// Throws invalid_argument if the file cannot be read.
void prepare_plugin_environment(std::string_view platform);

/// Prepends flags to XLA_FLAGS, so that flags already there take precedence. Call this before
/// prepare_plugin_environment().
void add_xla_flags(std::span<const std::string> flags);

/// Returns XLA_FLAGS without the flags that prepare_plugin_environment() adds; empty if no others
/// are set.
std::string xla_flags_of_user();

/// Returns the other variables that affect plugins (LIBTPU_INIT_ARGS and NCCL's) as "NAME=value
/// ..."; empty if none is set.
std::string plugin_variables();

/// Tunes malloc for running programs on the CPU. XLA allocates every array and its bookkeeping data
/// with malloc: about 30 calls per execution, mostly on different threads and with different sizes.
/// From then on, the process keeps most of the memory that it frees.
void tune_malloc();

}  // namespace meshwright::runtime
