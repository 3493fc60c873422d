// SPDX-License-Identifier: Apache-2.0
// usage: bench_startup
// Runs the first training step of a 4-layer transformer. Prints its loss, then where the time since
// main went.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "meshwright/runtime/client.h"
#include "meshwright/runtime/compile_async.h"
#include "models/decoder.h"
#include "models/train_step.h"

namespace meshwright::test_models {
namespace {

using Clock = std::chrono::steady_clock;

class Phases {
 public:
  void end(std::string name) {
    Clock::time_point now = Clock::now();
    done_.emplace_back(std::move(name), std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }
  void print() const {
    for (const auto& [name, seconds] : done_)
      std::printf("%s %.6f\n", name.c_str(), seconds);
  }

 private:
  Clock::time_point last_ = Clock::now();
  std::vector<std::pair<std::string, double>> done_;
};

void run_bench() {
  Phases phases;
  runtime::Client client = runtime::open();
  phases.end("open");
  Model model = decoder({.kernels = true});
  graph::Program init = trace_adamw_init(model);
  graph::Program step = trace_adamw_step(model);
  phases.end("trace");
  const Background<runtime::Executable> loading = runtime::compile_async(client, std::move(step));
  std::vector<runtime::DeviceArray> state = client.compile(init)({});
  phases.end("load_init");
  runtime::Executable run_step = loading.get();
  phases.end("load_step");
  std::vector<runtime::DeviceArray> results = run_step(std::move(state));
  std::printf("loss %.9g\n", results[0].to_host().to_doubles()[0]);
  std::fflush(stdout);
  phases.end("run_step");
  phases.print();
}

}  // namespace
}  // namespace meshwright::test_models

int main() {
  try {
    meshwright::test_models::run_bench();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_startup: %s\n", error.what());
    return 70;
  }
}
