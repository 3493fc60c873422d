// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/runtime_testutil.h"

#include <string>

#include "meshwright/pjrt/hlo_module.h"

namespace meshwright::runtime {

const Client& test_client() {
  static const Client client = open({.num_devices = 8, .cache_folder = {}});
  return client;
}

int count_ops(const Executable& executable, std::string_view opcode) {
  const std::string start = std::string(opcode) + "-start";
  const pjrt::HloModule module = pjrt::read_hlo_module(executable.optimized_program());
  int count = 0;
  for (const pjrt::HloComputation& computation : module.computations)
    for (const pjrt::HloInstruction& instruction : computation.instructions)
      if (instruction.opcode == opcode || instruction.opcode == start) ++count;
  return count;
}

}  // namespace meshwright::runtime
