// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/client_args.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/plan_choices.h"
#include "meshwright/cli/plan_report.h"
#include "meshwright/cli/remedies.h"
#include "meshwright/cli/topology_args.h"

namespace meshwright::cli {
namespace {

struct PlanArgs {
  Args config;
  std::string topology;
  std::int64_t num_compiled = 3, num_rows = 10;
  bool as_json = false;
  ClientArgs client;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Tells what a config needs on machines that need not be there: memory of a device, FLOPs, "
        "collectives, time and MFU, for the config and for other meshes, remat policies and "
        "microbatches. First everything is estimated; then the config and the best of the others "
        "are compiled, with the plugin but without a device. Exits with 1 if the config does not "
        "fit.");
    declare_topology(parser, topology);
    parser.option("--compile", num_compiled, {"N"},
                  "number of rows to compile (default: 3; 0: only estimate)");
    parser.option("--top", num_rows, {"N"}, "number of neighbours to list (default: 10)");
    parser.flag("--json", as_json, "print JSON");
    client.declare(parser);
    declare_run_config(parser, config);
    parser.example("llama_8b --topology v5p:4x4x4");
    parser.example("llama_8b --topology h100:8x8 --compile 0 num_microbatches=16");
  }
};

// Returns whether any row was compiled. Without a plugin that works, the estimates remain.
bool compile_best(const PlanArgs& args, Plan& plan) {
  set_environment(load_run_config("plan", args.config).mesh);
  const auto count = std::min(static_cast<std::size_t>(args.num_compiled), plan.rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    log_info("compiling ", i + 1, " of ", count, ": ",
             plan.rows[i].changes.empty() ? "the config" : join(plan.rows[i].changes, " "));
    try {
      compile_row(args.config, plan, plan.rows[i]);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::internal) throw;
      log_warning("not compiled: ", message_in_program(error));
      break;
    }
  }
  sort_rows(plan);
  return std::ranges::any_of(plan.rows,
                             [](const PlanRow& row) { return row.compiled_bytes.has_value(); });
}

int plan(const PlanArgs& args) {
  MW_CHECK(!args.topology.empty(), "plan: name the machines: --topology NAME\ndevices: ",
           join(runtime::topology_devices(), ", "), "; for example --topology h100:8");
  MW_CHECK(args.num_compiled >= 0 && args.num_rows >= 0, "plan: numbers cannot be negative");
  Plan found = make_plan(args.config, topology_of(args.topology, args.client));
  if (!args.as_json) print_config_needs(found);
  if (!args.as_json) print_rows(found, static_cast<std::size_t>(args.num_rows));
  if (args.num_compiled > 0 && compile_best(args, found) && !args.as_json)
    print_rows(found, static_cast<std::size_t>(args.num_rows));
  if (args.as_json) print_json(found);
  return found.fits(found.rows.front()) ? 0 : 1;
}

}  // namespace

CommandBody plan_command(const std::string& name) {
  return make_command<PlanArgs>(name, plan);
}

}  // namespace meshwright::cli
