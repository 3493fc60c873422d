// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::train {

/// Returns the stack of every thread of this process as text:
///       Thread: main(1234) waiting in futex_wait_queue
///       >>> run_step()+0x1f (./program+0x5581)
/// Each thread is interrupted by a signal. A thread that does not answer within a second, because
/// it is stuck in the kernel, is listed without frames. Requires prepare_thread_stacks().
std::string thread_stacks();

/// Installs the signal handler and loads the unwinder, which is no longer safe once the process
/// hangs.
void prepare_thread_stacks();

}  // namespace meshwright::train
