// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/runtime_testutil.h"

#include <cstdlib>
#include <iostream>
#include <optional>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/hlo_module.h"

namespace meshwright::runtime {

const Client& test_client() {
  static const Client client = [] {
    const char* platform = std::getenv("MESHWRIGHT_TEST_PLATFORM");
    return open({.platform = platform == nullptr ? "cpu" : platform,
                 .num_devices = 8,
                 .preallocate = false,
                 .cache_folder = {}});
  }();
  return client;
}

const Client* test_gpu() {
  static const std::optional<Client> client = []() -> std::optional<Client> {
    try {
      return open({.platform = "cuda", .preallocate = false, .cache_folder = {}});
    } catch (const Error& error) {
      std::cerr << "no GPU: " << error.what() << "\n";
      return std::nullopt;
    }
  }();
  return client ? &*client : nullptr;
}

int count_ops(const Executable& executable, std::string_view opcode) {
  const pjrt::HloModule module = pjrt::read_hlo_module(executable.optimized_program());
  int count = 0;
  for (const pjrt::HloComputation& computation : module.computations)
    for (const pjrt::HloInstruction& instruction : computation.instructions)
      if (pjrt::begins(instruction.opcode, opcode)) ++count;
  return count;
}

}  // namespace meshwright::runtime
