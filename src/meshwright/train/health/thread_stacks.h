// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::train {

/// Where every thread of this process is, as text:
///   Thread: main(1234) sleeping in futex_wait_queue
///   >>> ./program(run_step+0x1f) [0x5581]
/// Each thread is interrupted by a signal for it; one that does not answer within a second, because
/// it is stuck in the kernel, is listed without frames. Call prepare_thread_stacks() before.
std::string thread_stacks();

/// Installs the signal's handler and loads what unwinding needs, which must not happen in a process
/// that hangs already.
void prepare_thread_stacks();

}  // namespace meshwright::train
