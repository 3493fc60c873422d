// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// 8 virtual CPU devices, shared by all tests of a program. Without a cache.
const Client& test_client();

/// How often an HLO instruction such as "all-reduce" stands in the optimized program, in all of its
/// computations; asynchronous forms ("all-reduce-start") count as well.
int count_ops(const Executable& executable, std::string_view opcode);

}  // namespace meshwright::runtime
