// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/.
#pragma once

#include <atomic>

#include "meshwright/runtime/client_state.h"
#include "meshwright/runtime/device_array.h"

namespace meshwright::runtime {

struct DeviceArray::State {
  std::shared_ptr<ClientState> client;  // declared first: must outlive the buffers
  SharedLayout layout;
  std::vector<pjrt::Buffer> buffers;  // one per device of the layout's mesh; empty once donated
  std::atomic<int> num_views = 0;     // the array must not be donated while this is positive

  State(std::shared_ptr<ClientState> in_client,
        SharedLayout in_layout,
        std::vector<pjrt::Buffer> in_buffers)
      : client(std::move(in_client)),
        layout(std::move(in_layout)),
        buffers(std::move(in_buffers)) {}
};

/// For parts of the runtime that access buffers directly.
struct DeviceArrayAccess {
  using State = DeviceArray::State;
  static const std::shared_ptr<State>& state(const DeviceArray& array) { return array.state_; }
};

}  // namespace meshwright::runtime
