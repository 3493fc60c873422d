// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/runtime_testutil.h"

#include "meshwright/pjrt/hlo_module.h"

namespace meshwright::runtime {

const Client& test_client() {
  static const Client client = open({.num_devices = 8, .cache_folder = {}});
  return client;
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
