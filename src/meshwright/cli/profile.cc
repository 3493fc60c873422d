// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/profile.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

using train::StepPart;
using train::StepProfile;

constexpr const char* kEstimated = "~";

std::string padded(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
  return text + std::string(width - text.size(), ' ');
}

void print_summary(const StepProfile& p) {
  const auto [least, most] = std::ranges::minmax(p.step_seconds);
  std::printf("step     %9.2f ms, median of %zu from %.2f to %.2f", 1e3 * p.median_step_seconds(),
              p.step_seconds.size(), 1e3 * least, 1e3 * most);
  std::printf("; %.3g GFLOP of matrix products, %.3g GFLOP/s\n", p.flops / 1e9,
              p.flops / 1e9 / p.median_step_seconds());
  std::printf("kernels  %9.2f ms, measured within the step\n", 1e3 * p.kernel_seconds());
  std::printf(
      "the rest %9.2f ms, attributed in proportion to each instruction timed alone (%.2f ms in "
      "all)\n",
      1e3 * std::max(0.0, p.median_step_seconds() - p.kernel_seconds()), 1e3 * p.alone_seconds);
}

void print_modules(const StepProfile& p) {
  std::map<std::string, double> by_module;
  for (const StepPart& part : p.parts)
    by_module[part.module] += part.seconds;
  std::vector<std::pair<std::string, double>> rows(by_module.begin(), by_module.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::printf("\n%10s  share  module\n", "ms");
  for (const auto& [module, seconds] : rows)
    std::printf("%10.2f %6s  %s\n", 1e3 * seconds,
                metrics::percent(seconds / p.median_step_seconds()).c_str(),
                module.empty() ? "(no module)" : module.c_str());
}

void print_parts(const StepProfile& p, std::size_t num_rows) {
  std::printf("\n%10s   share  times  %s %s module\n", "ms", padded("what", 44).c_str(),
              padded("result", 20).c_str());
  for (std::size_t i = 0; i < std::min(num_rows, p.parts.size()); ++i) {
    const StepPart& part = p.parts[i];
    std::printf("%1s%9.2f  %6s %6lld  %s %s %s\n", part.is_measured ? "" : kEstimated,
                1e3 * part.seconds,
                metrics::percent(part.seconds / p.median_step_seconds()).c_str(),
                static_cast<long long>(part.times), padded(part.what, 44).c_str(),
                padded(part.type, 20).c_str(), part.module.c_str());
  }
  if (p.parts.size() > num_rows)
    std::printf("%zu more: --top %zu, or --json\n", p.parts.size() - num_rows, p.parts.size());
  std::printf("%s estimated", kEstimated);
  if (!p.untimed.empty()) std::printf("; not timed: %s", join(p.untimed, ", ").c_str());
  std::printf("\n");
}

void print_kernels(const StepProfile& p) {
  std::printf("\nkernels and formulas\n");
  for (const std::string& line : graph::describe(p.kernel_choices))
    std::printf("%s\n", line.c_str());
}

void print_json(const StepProfile& p) {
  JsonWriter json;
  json.begin_object().field("step_seconds", p.median_step_seconds()).field("flops", p.flops);
  json.key("samples").begin_array();
  for (double seconds : p.step_seconds)
    json.value(seconds);
  json.end_array().field("kernel_seconds", p.kernel_seconds());
  json.field("alone_seconds", p.alone_seconds).key("parts").begin_array();
  for (const StepPart& part : p.parts) {
    json.begin_object().field("what", part.what).field("type", part.type);
    json.field("module", part.module).field("times", part.times).field("seconds", part.seconds);
    json.field("estimated", !part.is_measured).end_object();
  }
  json.end_array().key("untimed").begin_array();
  for (const std::string& name : p.untimed)
    json.value(name);
  json.end_array().key("kernels").begin_array();
  for (const graph::KernelChoice& choice : p.kernel_choices) {
    json.begin_object().field("op", choice.op).field("kernel", choice.is_kernel);
    json.field("count", choice.count).field("reason", choice.reason).end_object();
  }
  json.end_array().end_object();
  std::cout << json.str() << "\n";
}

struct ProfileArgs {
  Args config;
  std::int64_t num_steps = 10, num_rows = 25;
  bool as_json = false;
  ClientArgs client;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Breaks down the time of a training step. It trains a few steps on the first batch and "
        "writes nothing. Meshwright's kernels are timed within a step; the compiler's other "
        "instructions are timed one by one.");
    parser.option("--steps", num_steps, {"N"}, "number of steps to time (default: 10)");
    parser.option("--top", num_rows, {"N"}, "number of operations to list (default: 25)");
    parser.flag("--json", as_json, "print JSON");
    client.declare(parser);
    declare_run_config(parser, config);
    parser.example("my.toml task.compute_dtype=bf16");
  }
};

int profile(const ProfileArgs& args) {
  MW_CHECK(args.num_steps >= 1 && args.num_rows >= 0,
           "profile: --steps must be at least 1 and --top at least 0");
  const RunConfig config = load_run_config("profile", args.config);
  runtime::Client client = open_client(config.mesh, args.client);
  const train::Job job = make_job(config, client.devices());
  log_info("timing ", args.num_steps, " steps, then each instruction alone; this takes a while");
  const StepProfile found = train::profile_step(job, client, static_cast<int>(args.num_steps));
  if (args.as_json) {
    print_json(found);
  } else {
    print_summary(found);
    print_modules(found);
    print_parts(found, static_cast<std::size_t>(args.num_rows));
    print_kernels(found);
  }
  return 0;
}

}  // namespace

CommandBody profile_command(const std::string& name) {
  return make_command<ProfileArgs>(name, profile);
}

}  // namespace meshwright::cli
