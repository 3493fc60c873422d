// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "meshwright/base/background.h"
#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Runs Client::compile on its own thread, so that other work can go on: much of the time, XLA uses
/// only one core.
inline Background<Executable> compile_async(Client client,
                                            graph::Program program,
                                            CompileOptions options = {}) {
  return Background<Executable>(
      [client = std::move(client), program = std::move(program), options = std::move(options)] {
        return client.compile(program, options);
      });
}

}  // namespace meshwright::runtime
