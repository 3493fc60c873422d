// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <utility>

#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Client::compile on a thread of its own, so that other work goes on: XLA uses one core for much
/// of the time. What it throws comes out of get(); the future waits when it goes.
inline std::future<Executable> compile_async(Client client,
                                             graph::Program program,
                                             CompileOptions options = {}) {
  return std::async(std::launch::async,
                    [client = std::move(client), program = std::move(program),
                     options = std::move(options)] { return client.compile(program, options); });
}

}  // namespace meshwright::runtime
