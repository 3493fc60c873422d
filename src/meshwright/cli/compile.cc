// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/output_path.h"
#include "meshwright/cli/topology_args.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/runtime/program_bundle.h"
#include "meshwright/train/offline/run_programs.h"

namespace meshwright::cli {
namespace {

struct CompileArgs {
  Args config;
  std::string topology, out;
  bool force = false, as_json = false;
  ClientArgs client;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Compiles the programs of a run ahead of time and writes them to a file, from which `train "
        "--bundle` loads them instead of compiling. Without --topology, compiles for the devices "
        "of "
        "this machine. The file is for one config, one kind and number of devices and one version "
        "of the plugin; a run that differs refuses it and says in what.");
    declare_topology(parser, topology);
    parser.option("--out", out, {"FILE", Offer::files}, "file to write");
    parser.option("-o", out, {"FILE", Offer::files}, "the same");
    parser.flag("--force", force, "replace the file if it exists");
    parser.flag("--json", as_json, "print the report as JSON");
    client.declare(parser);
    declare_run_config(parser, config);
    parser.example("llama_8b --topology v5p:4x4x4 --out llama.bundle");
  }
};

// Where programs are compiled, for machines that are there or not.
struct Compiler {
  runtime::BuildTarget target;
  std::function<runtime::AheadOfTimeProgram(const graph::Program&, const runtime::CompileOptions&)>
      compile;
};

Compiler compiler_for(const runtime::NamedTopology& named) {
  auto topology = std::make_shared<const runtime::Topology>(named.options);
  return {topology->target(), [topology](const auto& program, const auto& options) {
            return topology->compile(program, options);
          }};
}

Compiler compiler_for(const runtime::Client& client) {
  return {client.target(), [client](const auto& program, const auto& options) {
            return client.compile_ahead(program, options);
          }};
}

struct ReportRow {
  std::string name;
  std::int64_t num_bytes = 0;
  std::optional<std::int64_t> memory_bytes;  // of a device while the program runs
};

void add_program(const train::RunProgram& program,
                 const runtime::AheadOfTimeProgram& compiled,
                 runtime::ProgramBundle& bundle,
                 std::vector<ReportRow>& report) {
  ReportRow row{.name = program.name,
                .num_bytes = static_cast<std::int64_t>(compiled.serialized.size()),
                .memory_bytes = {}};
  if (compiled.memory) row.memory_bytes = compiled.memory->total_bytes();
  report.push_back(std::move(row));
  bundle.programs.push_back({program.name, compiled.key, compiled.serialized});
}

// The plugin turns calls of cuDNN into plans for the GPU that it finds. Without a GPU it leaves
// them out, and cannot load the program.
void check_for_cudnn(const std::vector<train::RunProgram>& programs,
                     const graph::ProgramTarget& target) {
  if (target.platform != "cuda") return;
  for (const train::RunProgram& program : programs) {
    const graph::Program placed =
        graph::place_kernels(program.program, "cuda", target.wants_kernels);
    for (const graph::KernelChoice& choice : placed.kernel_choices)
      MW_CHECK(!choice.is_kernel, "compile: ", choice.op, " in the program '", program.name,
               "' calls cuDNN, whose plans are made on the GPU itself\ncompile there, without "
               "--topology, or compile and train with kernels=xla, which is slower");
  }
}

void warn_of_memory(const std::vector<ReportRow>& report, const runtime::NamedTopology& topology) {
  const std::int64_t usable = topology.usable_bytes();
  for (const ReportRow& row : report)
    if (row.memory_bytes.value_or(0) > usable)
      log_warning("the program '", row.name, "' needs ", human_bytes(*row.memory_bytes),
                  " on each device, of which ", human_bytes(usable),
                  " are usable; `meshwright plan` lists configs that fit");
}

void print_text(const CompileArgs& args, const std::vector<ReportRow>& report) {
  for (const ReportRow& row : report) {
    std::cout << row.name << ": " << human_bytes(row.num_bytes);
    if (row.memory_bytes)
      std::cout << ", needs " << human_bytes(*row.memory_bytes) << " on each device";
    std::cout << "\n";
  }
  std::cout << "written to " << args.out << "\nto use it: meshwright train ... --bundle "
            << args.out << "\n";
}

void print_json(const CompileArgs& args,
                const runtime::ProgramBundle& bundle,
                const std::vector<ReportRow>& report) {
  JsonWriter json;
  json.begin_object().field("file", args.out).field("platform", bundle.target.platform);
  json.field("device_kind", bundle.target.device_kind);
  json.field("num_devices", bundle.target.num_devices).key("programs").begin_array();
  for (const ReportRow& row : report) {
    json.begin_object().field("name", row.name).field("num_bytes", row.num_bytes);
    json.key("memory_bytes");
    row.memory_bytes ? json.value(*row.memory_bytes) : json.null();
    json.end_object();
  }
  json.end_array().end_object();
  std::cout << json.str() << "\n";
}

// Reads the data only if the programs depend on the length of its epochs.
train::Job job_to_compile(const RunConfig& config,
                          const std::vector<runtime::DeviceInfo>& devices) {
  JobWithoutData out = make_job_without_data(config, devices);
  return out.depends_on_epochs ? make_job(config, devices) : std::move(out.job);
}

int compile(const CompileArgs& args) {
  MW_CHECK(!args.out.empty(), "compile: name the file to write: --out FILE");
  check_output("compile", args.out, args.force);
  std::optional<runtime::NamedTopology> topology;
  if (!args.topology.empty()) topology = topology_of(args.topology, args.client);
  const RunConfig config =
      load_run_config("compile", topology ? for_topology(args.config, *topology) : args.config);
  if (topology) set_memory_fraction(*topology, config.mesh.memory_fraction);
  set_environment(config.mesh);
  std::optional<runtime::Client> client;
  if (!topology) client = open_client(config.mesh, args.client);
  const train::Job job =
      job_to_compile(config, client ? client->devices() : runtime::devices_of(*topology));
  if (topology) check_mesh("compile", job.placement.mesh, *topology);
  const std::vector<train::RunProgram> programs = train::run_programs(job);
  if (topology) check_for_cudnn(programs, job.placement.target);
  const Compiler compiler = client ? compiler_for(*client) : compiler_for(*topology);
  runtime::ProgramBundle bundle{.topology = args.topology,
                                .target = compiler.target,
                                .config = job.resolved_config,
                                .programs = {}};
  std::vector<ReportRow> report;
  for (const train::RunProgram& program : programs) {
    log_info("compiling ", program.name, " (", report.size() + 1, " of ", programs.size(), ")");
    add_program(program, compiler.compile(program.program, train::compile_options(job.placement)),
                bundle, report);
  }
  if (topology) warn_of_memory(report, *topology);
  if (args.force) std::filesystem::remove(args.out);
  write_bundle(args.out, bundle);
  args.as_json ? print_json(args, bundle, report) : print_text(args, report);
  return 0;
}

}  // namespace

CommandBody compile_command(const std::string& name) {
  return make_command<CompileArgs>(name, compile);
}

}  // namespace meshwright::cli
