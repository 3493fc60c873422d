// SPDX-License-Identifier: Apache-2.0
// usage: bench_dispatch
// Reads lines `CASE STEPS` and runs that many steps of the case, each on the results of the
// previous step; answers each with `MICROSECONDS VALUE`: time per step, and an element of the
// state. Cases:
// - trivial: x + 1 of one array
// - donated200: x + 1 of 200 arrays, which are donated to the results
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"

namespace meshwright {
namespace {

using Clock = std::chrono::steady_clock;

struct Case {
  runtime::Executable step;
  std::vector<runtime::DeviceArray> state;
};

Case make_case(const runtime::Client& client, int num_arrays, bool donate) {
  const ArrayType type{f32, {4}};
  graph::Tracer tracer;
  std::vector<graph::Value> results;
  for (int i = 0; i < num_arrays; ++i) {
    graph::ArgumentInfo info{.name = str("x", i)};
    if (donate) info.donated_to = i;
    results.push_back(tracer.argument(type, info) + 1.0f);
  }
  runtime::Executable step = client.compile(tracer.finish(results));
  std::vector<runtime::DeviceArray> state;
  for (std::size_t i = 0; i < results.size(); ++i)
    state.push_back(step.put_argument(i, HostTensor(type)));
  return {std::move(step), std::move(state)};
}

/// Returns microseconds per step.
double run_steps(Case& work, int steps) {
  Clock::time_point start = Clock::now();
  for (int i = 0; i < steps; ++i)
    work.state = work.step(std::move(work.state));
  work.state[0].wait();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / steps;
}

void serve() {
  runtime::Client client = runtime::open({.cache_folder = {}});
  std::map<std::string, Case> cases;
  cases.emplace("trivial", make_case(client, 1, false));
  cases.emplace("donated200", make_case(client, 200, true));
  std::string name;
  for (int steps = 0; std::cin >> name >> steps;) {
    auto found = cases.find(name);
    MW_CHECK(found != cases.end() && steps > 0, "bench_dispatch: unknown case '", name, "'");
    double microseconds = run_steps(found->second, steps);
    double value = found->second.state.back().to_host().to_doubles()[0];
    std::printf("%.6f %.9g\n", microseconds, value);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace meshwright

int main() {
  try {
    meshwright::serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
