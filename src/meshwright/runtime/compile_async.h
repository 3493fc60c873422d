// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <utility>

#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Runs Client::compile on its own thread, since XLA uses a single core for much of the time. get()
/// rethrows errors. The destructor of the future waits for the thread.
inline std::future<Executable> compile_async(Client client,
                                             graph::Program program,
                                             CompileOptions options = {}) {
  return std::async(std::launch::async,
                    [client = std::move(client), program = std::move(program),
                     options = std::move(options)] { return client.compile(program, options); });
}

}  // namespace meshwright::runtime
