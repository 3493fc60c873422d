// SPDX-License-Identifier: Apache-2.0
// What the instructions of a compiled program cost, where no profiler tells: each is cut out of the
// optimized program, compiled and timed alone. That is an estimate: alone, an instruction has the
// processor and its caches to itself, and copies what it would change in place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {

/// Equal instructions of a program.
struct OpTime {
  std::string what;  // "dot", "fusion: exponential, divide"
  std::string type;  // of the result
  std::vector<ArrayType> inputs;
  std::vector<std::string> where;  // the modules they were traced in, where known
  std::int64_t count = 0;          // in one execution of the program, loops counted
  double seconds = 0;              // of one of them
};

struct OpTimes {
  std::vector<OpTime> ops;
  std::vector<OpTime> kernels;  // those of ours, not timed: KernelClock does that
  std::vector<OpTime> untimed;  // collectives, and what does not run alone
};

/// Takes seconds: every distinct instruction is compiled and run a few times on the first device.
OpTimes time_ops(const Executable& executable);

}  // namespace meshwright::runtime
