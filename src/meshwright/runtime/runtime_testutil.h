// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Returns a client with 8 virtual CPU devices and without a cache, shared by all tests in a test
/// program. MESHWRIGHT_TEST_PLATFORM=cuda runs the tests on a GPU instead; those of meshes then
/// fail.
const Client& test_client();

/// Returns the GPUs of this machine, or null if there are none or no plugin for them.
const Client* test_gpu();

/// Returns the number of HLO instructions with this opcode, such as "all-reduce", in all
/// computations of the optimized program. Includes asynchronous forms such as "all-reduce-start".
int count_ops(const Executable& executable, std::string_view opcode);

}  // namespace meshwright::runtime
