// SPDX-License-Identifier: Apache-2.0
// usage: bench_trace LAYERS unrolled|scanned [loss]
// Traces, differentiates and writes a transformer, and prints how long each part took. With `loss`,
// runs it and prints the loss at the initial values.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/runtime/client.h"
#include "models/decoder.h"
#include "models/train_step.h"

namespace meshwright::test_models {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void measure(const Model& model) {
  Clock::time_point start = Clock::now();
  graph::Program program = trace_value_and_grad(model);
  Clock::time_point traced = Clock::now();
  std::string text = graph::write_stablehlo(program);
  Clock::time_point written = Clock::now();
  graph::Program step = trace_adamw_step(model);
  std::string step_text = graph::write_stablehlo(step);
  Clock::time_point step_written = Clock::now();

  std::printf("trace_and_differentiate %.6f\n", seconds(start, traced));
  std::printf("write %.6f\n", seconds(traced, written));
  std::printf("total %.6f\n", seconds(start, written));
  std::printf("nodes %d\n", program.graph->num_nodes());
  std::printf("bytes %zu\n", text.size());
  std::printf("step_total %.6f\n", seconds(written, step_written));
  std::printf("step_nodes %d\n", step.graph->num_nodes());
}

void print_loss(const Model& model) {
  runtime::Client client = runtime::open();
  std::vector<HostTensor> values = run(client.compile(trace_init(model)), {});
  std::vector<HostTensor> results = run(client.compile(trace_value_and_grad(model)), values);
  std::printf("loss %.9g\n", results[0].to_doubles()[0]);
}

int run_bench(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  bool loss = args.size() == 3 && args[2] == "loss";
  MW_CHECK(args.size() == 2 || loss, "usage: bench_trace LAYERS unrolled|scanned [loss]");
  bool scanned = args[1] == "scanned";
  MW_CHECK(scanned || args[1] == "unrolled", "expected unrolled or scanned, got '", args[1], "'");
  Model model = decoder({.layers = std::stoi(args[0]), .scanned = scanned});
  loss ? print_loss(model) : measure(model);
  return 0;
}

}  // namespace
}  // namespace meshwright::test_models

int main(int argc, char** argv) {
  try {
    return meshwright::test_models::run_bench(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_trace: %s\n", error.what());
    return 70;
  }
}
