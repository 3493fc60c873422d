// SPDX-License-Identifier: Apache-2.0
// usage: bench_aot TOPOLOGY CONFIG [key.path=value...]
//        bench_aot TOPOLOGY --text FILE
// Compiles the training step of a config for machines that need not exist, such as v5p:4x4x4 or
// h100:8x8. Prints the memory of a device in bytes, the FLOPs of the model's products on all
// devices, and for each kind of collective how often a device runs it, the bytes of its results and
// those during whose transfer no product runs. First the same is estimated, without compiling. With
// --text, compiles a program in StableHLO, such as JAX's step (bench/aot.py).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/estimate/memory.h"
#include "meshwright/estimate/traffic.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/pjrt/hlo_module.h"
#include "meshwright/runtime/named_topology.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright {
namespace {

void print(const char* name, double number) {
  std::printf("%s %.0f\n", name, number);
}

struct Tally {
  double count = 0, bytes = 0, exposed_bytes = 0;
};
using Tallies = std::map<std::string, Tally>;

// The program of one device, in the order in which it runs.
class Program {
 public:
  explicit Program(const pjrt::HloModule& module) : module_(module) { add(module.entry_id, 1); }

  const Tallies& tallies() const { return all_; }
  /// Returns the collectives that move most, with the ops that they serve.
  std::vector<std::pair<double, std::string>> largest_traffic() const {
    constexpr std::size_t kMost = 12;
    std::vector<std::pair<double, std::string>> out = traffic_;
    std::ranges::sort(out, std::greater());
    if (out.size() > kMost) out.resize(kMost);
    return out;
  }
  /// Counts dots. On TPUs, products are convolutions, which are not counted.
  double product_flops() const { return product_flops_; }

 private:
  // Adds the work of `times` runs of a computation.
  void add(std::int64_t computation, double times) {
    const std::vector<pjrt::HloInstruction>& all = module_.computation(computation).instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const pjrt::HloInstruction& each = all[i];
      const std::string kind =
          each.opcode == "async-done"
              ? collective(module_.computation(computation).instruction(each.operands.at(0)))
              : collective(each);
      if (!kind.empty() && !each.opcode.ends_with("-done")) all_[kind].count += times;
      if (!kind.empty() && !each.opcode.ends_with("-start")) {
        all_[kind].bytes += times * bytes_of(each);
        traffic_.emplace_back(times * bytes_of(each),
                              str(kind, " ", types_of(each), " for ", each.op_name));
        if (is_exposed(all, i)) all_[kind].exposed_bytes += times * bytes_of(each);
      }
      if (each.opcode == "fusion") all_["fusion"].count += times;
      if (each.opcode == "dot")
        product_flops_ += times * flops_of(module_.computation(computation), each);
      const double inside = each.opcode == "while" ? static_cast<double>(each.trip_count) : 1;
      if (each.opcode.ends_with("-start") || each.opcode.ends_with("-done")) continue;
      for (const std::int64_t called : each.called)
        add(called, times * inside);
    }
  }

  // Returns the kind of a collective, of its start or its end; empty for other instructions.
  std::string collective(const pjrt::HloInstruction& instruction) const {
    for (const std::string_view kind : pjrt::kCollectives)
      if (pjrt::begins(instruction.opcode, kind) || instruction.opcode == str(kind, "-done"))
        return std::string(kind);
    if (!instruction.opcode.starts_with("async-")) return "";
    for (const std::int64_t called : instruction.called)
      for (const pjrt::HloInstruction& inner : module_.computation(called).instructions)
        for (const std::string_view kind : pjrt::kCollectives)
          if (inner.opcode == kind) return std::string(kind);
    return "";
  }

  // Returns whether no product runs between the start of a collective and its end.
  bool is_exposed(const std::vector<pjrt::HloInstruction>& all, std::size_t end) const {
    if (!all[end].opcode.ends_with("-done")) return true;
    for (std::size_t i = end; i-- > 0 && all[i].id != all[end].operands.at(0);)
      if (has_product(all[i])) return false;
    return true;
  }

  bool has_product(const pjrt::HloInstruction& instruction) const {
    if (instruction.opcode == "dot" || instruction.opcode == "convolution") return true;
    if (instruction.opcode == "custom-call")
      return instruction.target.find("gemm") != std::string::npos ||
             instruction.target.find("fmha") != std::string::npos;
    for (const std::int64_t called : instruction.called)
      for (const pjrt::HloInstruction& inner : module_.computation(called).instructions)
        if (has_product(inner)) return true;
    return false;
  }

  static std::string types_of(const pjrt::HloInstruction& instruction) {
    std::vector<std::string> out;
    for (const ArrayType& type : instruction.types())
      out.push_back(str(type));
    return join(out, " ");
  }

  static double flops_of(const pjrt::HloComputation& computation, const pjrt::HloInstruction& dot) {
    const ArrayType left = computation.instruction(dot.operands.at(0)).type().value();
    double out = 2 * static_cast<double>(num_elements(dot.type().value().dims));
    for (const std::int64_t dim : dot.summed)
      out *= static_cast<double>(left.dims.at(static_cast<std::size_t>(dim)));
    return out;
  }

  static double bytes_of(const pjrt::HloInstruction& instruction) {
    double out = 0;
    for (const ArrayType& type : instruction.types())
      out += static_cast<double>(type.num_bytes());
    return out;
  }

  const pjrt::HloModule& module_;
  Tallies all_;
  std::vector<std::pair<double, std::string>> traffic_;
  double product_flops_ = 0;
};

void print_program(const std::string& optimized_program) {
  const pjrt::HloModule module = pjrt::read_hlo_module(optimized_program);
  const Program program(module);
  std::printf("product_tflops %.4f\n", program.product_flops() / 1e12);
  for (const auto& [name, tally] : program.tallies()) {
    std::printf("%s_count %.0f\n", name.c_str(), tally.count);
    if (name == "fusion") continue;
    std::printf("%s_gb %.6g\n", name.c_str(), tally.bytes / 1e9);
    std::printf("%s_exposed_gb %.6g\n", name.c_str(), tally.exposed_bytes / 1e9);
  }
  for (const auto& [bytes, what] : program.largest_traffic())
    std::printf("%.4g GB: %s\n", bytes / 1e9, what.c_str());
}

void print_estimate(const graph::Program& program) {
  const auto begin = std::chrono::steady_clock::now();
  const estimate::Splits splits(program);
  const estimate::Memory memory = estimate::memory_of(program, splits);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("estimate_seconds %.4f\n", took.count());
  print("estimated_argument_bytes", static_cast<double>(memory.argument_bytes));
  print("estimated_temp_bytes", static_cast<double>(memory.temp_bytes));
  for (const estimate::Traffic& each : estimate::traffic_of(program, splits))
    std::printf("estimated %s along %s: %.0f times, receives %.4g GB\n",
                std::string(name(each.kind)).c_str(), to_string(program.mesh, each.axes).c_str(),
                each.num_calls, each.received_bytes / 1e9);
}

template <typename Compile>
void print_compiled(const Compile& compile) {
  const auto begin = std::chrono::steady_clock::now();
  const runtime::AheadOfTimeProgram compiled = compile();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("compile_seconds %.1f\n", took.count());
  if (compiled.memory) {
    print("argument_bytes", static_cast<double>(compiled.memory->argument_bytes));
    print("output_bytes", static_cast<double>(compiled.memory->output_bytes));
    print("alias_bytes", static_cast<double>(compiled.memory->alias_bytes));
    print("temp_bytes", static_cast<double>(compiled.memory->temp_bytes));
    print("code_bytes", static_cast<double>(compiled.memory->code_bytes));
  }
  for (const std::string& line : graph::describe(compiled.kernel_choices))
    std::printf("%s\n", line.c_str());
  print_program(compiled.optimized_program);
}

void compile_config(const runtime::NamedTopology& named, cli::Args args) {
  const runtime::Topology topology(named.options);
  args.push_back(str("mesh.platform=", named.options.platform));
  args.push_back(str("mesh.num_devices=", topology.num_devices()));
  const cli::RunConfig config = cli::load_run_config("bench_aot", args);
  const train::Job job = cli::make_job(config, topology.devices());
  const train::TrainingSetup setup = train::setup_of(job);
  const train::StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  print_estimate(graph::place_kernels(step.program, named.options.platform));
  print("device_bytes", static_cast<double>(named.device_bytes));
  print("model_flops", train::num_step_flops(setup, job.source->spec()));
  print_compiled(
      [&] { return topology.compile(step.program, train::compile_options(job.placement)); });
}

void compile_text(const runtime::NamedTopology& named, const std::string& file) {
  const runtime::Topology topology(named.options);
  std::ifstream in(file, std::ios::binary);
  MW_CHECK(in.is_open(), "cannot read ", file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  print_compiled(
      [&] { return topology.compile_text(text, {.num_partitions = topology.num_devices()}); });
}

}  // namespace
}  // namespace meshwright

int main(int argc, char** argv) {
  try {
    MW_CHECK(argc >= 3,
             "usage: bench_aot TOPOLOGY CONFIG [key.path=value...], or TOPOLOGY --text FILE");
    const meshwright::runtime::NamedTopology named = meshwright::runtime::named_topology(argv[1]);
    if (std::string_view(argv[2]) == "--text")
      meshwright::compile_text(named, argc == 4 ? argv[3] : "");
    else
      meshwright::compile_config(named, {argv + 2, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
