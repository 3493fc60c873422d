// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/.
#pragma once

#include <mutex>
#include <vector>

#include "meshwright/runtime/client_state.h"
#include "meshwright/runtime/compile.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {

struct Executable::State {
  State(std::shared_ptr<ClientState> client, Compiled compiled, std::optional<Signature> signature);

  /// Checks the arguments of one execution and enters them into the lists.
  void take_arguments(const std::vector<DeviceArray>& args);
  /// Waits for the execution whose place in the ring is reused, then starts a new execution.
  void launch();
  std::vector<DeviceArray> take_results(std::vector<DeviceArray>& args);
  /// Shortens the ring if the program needs a lot of memory.
  void limit_in_flight();
  /// Waits for the execution in one place of the ring.
  void wait_for(std::vector<pjrt::Event>& events);

  std::shared_ptr<ClientState> client;  // declared first: must outlive the following members
  pjrt::LoadedExecutable loaded;
  const bool from_cache;
  pjrt::Executable program;
  std::vector<ArrayType> output_types;
  std::vector<pjrt::Device> devices;
  std::optional<Signature> signature;

  std::mutex mutex;  // guards the following members
  pjrt::ExecuteLists lists;
  std::vector<std::vector<pjrt::Event>> in_flight;  // a ring; one event per device
  std::size_t next_in_flight = 0;
  bool has_run = false, is_limit_known = false;
};

}  // namespace meshwright::runtime
