// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Returns a client with 8 virtual CPU devices and without a cache, shared by all tests of a
/// program.
const Client& test_client();

/// Returns the number of HLO instructions such as "all-reduce" in all computations of the optimized
/// program, including asynchronous forms ("all-reduce-start").
int count_ops(const Executable& executable, std::string_view opcode);

}  // namespace meshwright::runtime
