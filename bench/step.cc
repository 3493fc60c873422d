// SPDX-License-Identifier: Apache-2.0
// usage: bench_step CONFIG [key.path=value...]
// Trains a config like `meshwright train`, but always on the first batch. Reads commands and
// answers each with lines `NAME NUMBER`, then `done`:
//   ready           waits for the step; reports how long tracing and compiling took
//   export FOLDER   writes params/PATH.npy, batch/PATH.npy, and the matrix products of a step to
//                   `products`, in lines `BATCH M K N TIMES`
//   losses N        makes N updates; reports the loss of each
//   run N           makes N updates; reports their milliseconds
//   device_memory   reports the largest memory in use so far, of devices that tell
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <tuple>

#include "meshwright/base/log.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/nn/flops.h"
#include "meshwright/train/restore/initial_state.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/programs.h"
#include "npy/npy.h"

namespace meshwright {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void write_arrays(const std::filesystem::path& folder, const Tree<HostTensor>& arrays) {
  for_each(arrays, [&](const std::string& path, const HostTensor& array) {
    const std::filesystem::path file = folder / (path + ".npy");
    std::filesystem::create_directories(file.parent_path());
    test_npy::write_npy(file, array);
  });
}

class Training {
 public:
  Training(const cli::RunConfig& config, const runtime::Client& client)
      : client_(client),
        job_(cli::make_job(config, client.devices())),
        setup_(train::setup_of(job_)),
        batch_(job_.source->batch(0, {0, data::batch_size(*job_.source)})),
        runner_(client, setup_, job_.source->spec(), job_.config.step) {}
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  void wait_until_ready() {
    (void)runner_.executable();
    if (compile_seconds_ == 0) compile_seconds_ = seconds_since(begin_);
    begin_state();
    // The state must exist before the first update, whose memory is measured.
    for_each(runner_.state(), [](const std::string&, const auto& array) { array.wait(); });
    std::printf("compile_seconds %.6f\n", compile_seconds_);
  }

  void write(const std::filesystem::path& folder) {
    begin_state();
    write_arrays(folder / "params", map(runner_.state().at("model"),
                                        [](const auto& array) { return array.to_host(); }));
    write_arrays(folder / "batch", batch_);
    write_products(folder / "products");
    std::printf("model_flops %.0f\n", train::num_step_flops(setup_, job_.source->spec()));
  }

  void print_losses(int num_steps) {
    begin_state();
    for (int i = 0; i < num_steps; ++i) {
      const HostTensor metrics = runner_.update(batch_).metrics.to_host();
      std::printf("loss%d %.9g\n", i, metrics.to_doubles()[train::kLossMetric]);
      std::fflush(stdout);
    }
  }

  void print_device_memory() const {
    for (const runtime::DeviceInfo& device : client_.devices())
      std::printf("peak_bytes %lld\n", static_cast<long long>(device.peak_bytes.value_or(0)));
  }

  void run(int num_steps) {
    begin_state();
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < num_steps; ++i)
      runner_.update(batch_);
    runner_.wait();
    std::printf("milliseconds %.6f\n", 1e3 * seconds_since(begin));
  }

 private:
  void write_products(const std::filesystem::path& path) const {
    const train::StepProgram step =
        train::trace_step(setup_, job_.source->spec(), job_.config.step);
    // Kernels show their products once they are replaced by plain ops.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, double> times;
    for (const nn::Product& p : nn::products(graph::place_kernels(step.program, "none")))
      times[{p.batch, p.m, p.k, p.n}] += p.times;
    std::ofstream file(path);
    for (const auto& [sizes, count] : times) {
      const auto& [batch, m, k, n] = sizes;
      file << str(batch, " ", m, " ", k, " ", n, " ", count, "\n");
    }
    file.close();
    if (!file) fail(ErrorCode::unavailable, "cannot write ", path.string());
  }

  void begin_state() {
    if (has_state_) return;
    train::begin_state(runner_, setup_.layout, job_.config.seed, job_.init_state);
    has_state_ = true;
  }

  Clock::time_point begin_ = Clock::now();
  double compile_seconds_ = 0;
  bool has_state_ = false;
  runtime::Client client_;
  train::Job job_;
  train::TrainingSetup setup_;
  data::Batch batch_;
  train::StepRunner runner_;
};

void answer(Training& training, const std::string& command) {
  if (command == "ready") return training.wait_until_ready();
  if (command == "device_memory") return training.print_device_memory();
  std::string folder;
  if (command == "export" && std::cin >> folder) return training.write(folder);
  int num_steps = 0;
  const bool is_known = command == "losses" || command == "run";
  MW_CHECK(is_known && std::cin >> num_steps, "bench_step: unknown command '", command, "'");
  command == "run" ? training.run(num_steps) : training.print_losses(num_steps);
}

void serve(const cli::Args& args) {
  const ScopedLogHandler silent([](Severity, std::string_view) {});
  const cli::RunConfig config = cli::load_run_config("bench_step", args);
  Training training(config, cli::open_client(config.mesh, {}));
  for (std::string command; std::cin >> command;) {
    answer(training, command);
    std::cout << "done" << std::endl;
  }
}

}  // namespace
}  // namespace meshwright

int main(int argc, char** argv) {
  try {
    meshwright::serve({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
