// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of the instructions of a compiled program on platforms without a profiler.
// Each instruction is cut out of the optimized program, compiled and timed alone. When it runs
// alone, it has the processor and its caches to itself, and it copies operands that it would
// otherwise modify in place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {

/// A group of equal instructions in a program.
struct OpTime {
  std::string what;  // such as "dot" or "fusion: exponential, divide"
  std::string type;  // type of the result
  std::vector<ArrayType> inputs;
  std::vector<std::string> where;  // the modules in which they were traced, if known
  std::int64_t count = 0;          // per execution of the program, including loops
  double seconds = 0;              // time that the instruction takes once
};

struct OpTimes {
  std::vector<OpTime> ops;
  std::vector<OpTime> kernels;  // Meshwright's kernels, which KernelClock times instead
  std::vector<OpTime> untimed;  // collectives, and instructions that cannot run alone
};

/// Compiles every distinct instruction and runs it a few times on the first device. This takes
/// several seconds.
OpTimes time_ops(const Executable& executable);

}  // namespace meshwright::runtime
