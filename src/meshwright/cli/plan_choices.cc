// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/plan_choices.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/topology_args.h"
#include "meshwright/config/config.h"
#include "meshwright/config/path.h"
#include "meshwright/config/toml_text.h"
#include "meshwright/train/report/peak_flops.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::cli {
namespace {

constexpr const char* kRematKey = "task.model.remat";

estimate::Machine machine_of(const runtime::NamedTopology& topology) {
  return {.flops = train::peak_flops(topology.device_kind).value(),
          .memory_bytes_per_second = topology.speeds.memory_bytes,
          .near_bytes_per_second = topology.speeds.near_bytes,
          .far_bytes_per_second = topology.speeds.far_bytes,
          .num_near = topology.speeds.num_near};
}

Args with_changes(const Args& args, const Changes& changes) {
  Args out = args;
  out.insert(out.end(), changes.begin(), changes.end());
  return out;
}

std::string remat_text(const config::Node& tree) {
  const config::Node* node = config::find_node(tree, *config::find_path_parts(kRematKey));
  std::string out = node == nullptr ? "none" : config::toml_value(*node);
  std::erase_if(out, [](char c) { return c == '"' || c == '[' || c == ']'; });
  return out;
}

// Messages that a call logs.
struct Logged {
  std::vector<std::pair<Severity, std::string>> messages;

  template <typename Call>
  explicit Logged(const Call& call) {
    const ScopedLogHandler handler([this](Severity severity, std::string_view message) {
      messages.emplace_back(severity, message);
    });
    call();
  }
  std::int64_t num_warnings() const {
    return std::ranges::count(messages, Severity::warning,
                              &std::pair<Severity, std::string>::first);
  }
};

// The jobs of a config and of its neighbours.
class Planner {
 public:
  Planner(const Args& args, const runtime::NamedTopology& topology)
      : args_(for_topology(args, topology)),
        topology_(topology),
        devices_(runtime::devices_of(topology)) {}

  train::Job job(const Changes& changes) const { return job_of(tree(changes)); }

  RunConfig config() const { return config::from_tree<RunConfig>(tree({})); }
  train::Job job_of(const RunConfig& config) const {
    return make_job_without_data(config, devices_).job;
  }

  PlanRow row(const Changes& changes) const {
    const config::Node tree = this->tree(changes);
    const train::Job job = job_of(tree);
    return {.changes = changes,
            .mesh = job.placement.mesh,
            .remat = remat_text(tree),
            .num_microbatches = job.config.step.num_microbatches,
            .estimate = train::estimate_step(job, machine_of(topology_))};
  }

 private:
  config::Node tree(const Changes& changes) const {
    return load_run_tree("plan", with_changes(args_, changes));
  }

  train::Job job_of(const config::Node& tree) const {
    return job_of(config::from_tree<RunConfig>(tree));
  }

  const Args args_;
  const runtime::NamedTopology& topology_;
  std::vector<runtime::DeviceInfo> devices_;
};

// Meshes with a factor moved from one axis to another.
void add_mesh_changes(const mesh::Mesh& mesh, std::int64_t factor, std::vector<Changes>& out) {
  const auto& axes = mesh.axes();
  for (std::size_t from = 0; from < axes.size(); ++from) {
    for (std::size_t to = 0; to < axes.size(); ++to) {
      if (from == to || axes[from].size % factor != 0) continue;
      std::vector<std::string> sizes;
      for (std::size_t i = 0; i < axes.size(); ++i)
        sizes.push_back(str(axes[i].name, "=",
                            i == from ? axes[i].size / factor
                            : i == to ? axes[i].size * factor
                                      : axes[i].size));
      out.push_back({str("mesh.axes={", join(sizes, ","), "}")});
    }
  }
}

std::vector<Changes> mesh_changes(const mesh::Mesh& mesh) {
  std::vector<Changes> out;
  for (const std::int64_t factor : {2, 4})
    add_mesh_changes(mesh, factor, out);
  return out;
}

std::vector<Changes> microbatch_changes(std::int64_t now) {
  std::vector<Changes> out;
  for (const std::int64_t factor : {2, 4})
    if (now % factor == 0) out.push_back({str("num_microbatches=", now / factor)});
  for (const std::int64_t factor : {2, 4, 8})
    out.push_back({str("num_microbatches=", now * factor)});
  return out;
}

std::vector<Changes> remat_changes() {
  std::vector<Changes> out;
  for (const char* policy :
       {"none", "dots", "nothing", R"(["nothing","attention"])", R"(["qkv","attention"])"})
    out.push_back({str(kRematKey, "=", policy)});
  return out;
}

// Returns all combinations, those with few changes first.
std::vector<Changes> neighbours(const PlanRow& base) {
  std::vector<Changes> out = {{}};
  for (const std::vector<Changes>& kind :
       {remat_changes(), microbatch_changes(base.num_microbatches), mesh_changes(base.mesh)}) {
    const std::size_t before = out.size();
    for (std::size_t i = 0; i < before; ++i) {
      for (const Changes& each : kind) {
        Changes both = out[i];
        both.insert(both.end(), each.begin(), each.end());
        out.push_back(std::move(both));
      }
    }
  }
  std::ranges::stable_sort(out, {}, &Changes::size);
  return out;
}

}  // namespace

std::int64_t PlanRow::bytes() const {
  return compiled_bytes.value_or(estimate.memory.total());
}

Plan make_plan(const Args& args,
               const runtime::NamedTopology& topology,
               std::chrono::milliseconds time) {
  const auto start = std::chrono::steady_clock::now();
  const Planner planner(args, topology);
  Plan out{.topology = topology};
  const RunConfig config = planner.config();
  set_memory_fraction(out.topology, config.mesh.memory_fraction);
  const train::Job job = planner.job_of(config);
  out.batch_size = data::batch_size(*job.source);
  out.model_flops = train::num_step_flops(train::setup_of(job), job.source->spec());
  const Logged of_config([&] { out.rows.push_back(planner.row({})); });
  const PlanRow& base = out.rows.front();
  check_mesh("plan", base.mesh, topology);
  for (const Changes& changes : neighbours(base)) {
    if (std::chrono::steady_clock::now() - start > time) {
      ++out.num_left_out;
      continue;
    }
    try {
      PlanRow row;
      const Logged of_row([&] { row = planner.row(changes); });
      const bool is_known = std::ranges::any_of(out.rows, [&](const PlanRow& known) {
        return known.mesh == row.mesh && known.remat == row.remat &&
               known.num_microbatches == row.num_microbatches;
      });
      if (!is_known && of_row.num_warnings() <= of_config.num_warnings())
        out.rows.push_back(std::move(row));
    } catch (const Error& error) {  // such as a batch that cannot be divided
      if (error.code() != ErrorCode::invalid_argument) throw;
    }
  }
  sort_rows(out);
  return out;
}

void compile_row(const Args& args, const Plan& plan, PlanRow& row) {
  const ScopedLogHandler quiet([](Severity, std::string_view) {});  // make_plan() warned
  const Planner planner(args, plan.topology);
  const runtime::Topology topology(plan.topology.options);
  const train::Job job = planner.job(row.changes);
  const train::TrainingSetup setup = train::setup_of(job);
  const train::StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  const runtime::AheadOfTimeProgram program =
      topology.compile(step.program, train::compile_options(job.placement));
  if (program.memory) row.compiled_bytes = program.memory->total_bytes();
}

double Plan::mfu(const PlanRow& row) const {
  const double peak = machine_of(topology).flops * static_cast<double>(topology.num_devices);
  return model_flops / (row.estimate.time.total() * peak);
}

void sort_rows(Plan& plan) {
  std::stable_sort(plan.rows.begin() + 1, plan.rows.end(), [&](const PlanRow& a, const PlanRow& b) {
    const bool a_fits = plan.fits(a), b_fits = plan.fits(b);
    if (a_fits != b_fits) return a_fits;
    if (a_fits) return a.estimate.time.total() < b.estimate.time.total();
    return a.bytes() < b.bytes();
  });
}

}  // namespace meshwright::cli
