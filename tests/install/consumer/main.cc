// SPDX-License-Identifier: Apache-2.0
// A user's program: traces x + y and prints it as StableHLO, and the malloc in use.
#include <iostream>
#include <span>
#include <vector>

#include <dlfcn.h>

#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

using meshwright::graph::Value;

int main() {
  auto add = [](std::span<const Value> args) { return std::vector<Value>{args[0] + args[1]}; };
  const auto f32 = meshwright::DType::f32;
  const auto program = meshwright::graph::trace({{f32, {2, 3}}, {f32, {2, 3}}}, add);
  std::cout << meshwright::graph::write_stablehlo(program);
  std::cout << "malloc: " << (dlsym(RTLD_DEFAULT, "mallctl") != nullptr ? "jemalloc" : "other")
            << "\n";
}
