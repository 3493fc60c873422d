// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Returns a client with 8 virtual CPU devices and without a cache, shared by all tests in a test
/// program.
const Client& test_client();

/// Returns the number of HLO instructions with this opcode, such as "all-reduce", in all
/// computations of the optimized program. Includes asynchronous forms such as "all-reduce-start".
int count_ops(const Executable& executable, std::string_view opcode);

}  // namespace meshwright::runtime
