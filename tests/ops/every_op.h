// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// A use of an op on a square matrix of any dtype. Throws invalid_argument if the op does not
/// support the dtype.
struct OpUse {
  std::string name;
  std::function<std::vector<Value>(Value x)> build;
};

/// Returns at least one use of every op. The mesh has one axis `d` of 8 devices.
std::vector<OpUse> every_op();

}  // namespace meshwright::graph
