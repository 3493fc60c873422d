// SPDX-License-Identifier: Apache-2.0
// The memory that a program needs on each device, estimated without compiling it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/estimate/splits.h"
#include "meshwright/graph/core/program.h"

namespace meshwright::estimate {

/// An array in memory at the time when most memory is in use.
struct LiveArray {
  std::string module;  // whose code computes it, such as "decoder/layers"
  ArrayType type;      // of the whole array
  std::int64_t bytes = 0;
  bool is_of_loop = false;  // a result of a loop: values that the steps of the loop keep
};

struct Memory {
  std::int64_t argument_bytes = 0;
  std::int64_t temp_bytes = 0;     // at most, of arrays that are neither arguments nor results
  std::int64_t moved_bytes = 0;    // read and written by all ops in a step
  std::vector<LiveArray> at_peak;  // without the arguments, largest first
};

/// Walks the program in its order. An array is in memory from the op that computes it to its last
/// use. Element-wise ops and the like are part of the op that uses them, unless that is a product,
/// a loop or a call; they and loops reuse the memory of operands that are not used again.
Memory memory_of(const graph::Program& program, const Splits& splits);

}  // namespace meshwright::estimate
