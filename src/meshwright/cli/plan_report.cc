// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/plan_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

constexpr std::size_t kNumArrays = 8;

// Returns a number with three digits and a prefix of its unit: "7.78 s", "89.5 us", "243 PFLOP".
std::string with_prefix(double number, const char* unit) {
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"},
                                                          {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                                                          {1, ""},     {1e-3, "m"}, {1e-6, "u"}};
  const auto found = std::ranges::find_if(
      kPrefixes, [&](const auto& prefix) { return number >= prefix.first * 0.9995; });
  const auto& [factor, prefix] = found == std::end(kPrefixes) ? *std::prev(found) : *found;
  char text[64];
  std::snprintf(text, sizeof(text), "%.3g %s%s", number / factor, prefix, unit);
  return text;
}

std::string seconds_text(double seconds) {
  return seconds >= 1000 ? str(std::llround(seconds), " s") : with_prefix(seconds, "s");
}

std::string axes_text(const mesh::Mesh& mesh, mesh::AxisSet axes) {
  std::vector<std::string> out;
  for (const int axis : mesh::positions(axes)) {
    const mesh::MeshAxis& each = mesh.axes()[static_cast<std::size_t>(axis)];
    if (each.size > 1) out.push_back(each.name);
  }
  return join(out, "+");
}

struct MemoryKind {
  const char* name;
  std::int64_t bytes;
  const char* meaning;
};

std::vector<MemoryKind> kinds_of(const train::PlannedMemory& memory) {
  return {
      {"parameters", memory.params, ""},
      {"optimizer", memory.optimizer, "slots of the optimizer, and the rest of the state"},
      {"batch", memory.batch, ""},
      {"gradients", memory.gradients, "gradients, and other arrays with the shape of a parameter"},
      {"kept", memory.kept, "values of the layers kept for the backward pass"},
      {"working", memory.working, "logits, one layer's values, gathered weights"}};
}

void print_memory(const Plan& plan) {
  const train::PlannedMemory& memory = plan.rows.front().estimate.memory;
  std::printf("memory of a device, estimated\n");
  for (const MemoryKind& kind : kinds_of(memory))
    std::printf("  %-12s %10s  %s\n", kind.name, human_bytes(kind.bytes).c_str(), kind.meaning);
  std::printf("  %-12s %10s  of %s, less a reserve of %s\n", "all",
              human_bytes(memory.total()).c_str(), human_bytes(plan.topology.device_bytes).c_str(),
              human_bytes(plan.topology.reserved_bytes).c_str());
}

// Equal arrays are one line.
void print_arrays(const std::vector<estimate::LiveArray>& arrays) {
  using Line = std::tuple<std::int64_t, std::string, std::string>;
  std::map<Line, int, std::greater<>> counts;
  for (const estimate::LiveArray& array : arrays)
    ++counts[{array.bytes, to_string(array.type), array.module}];
  std::printf("largest temporary arrays\n");
  std::size_t num_left = kNumArrays;
  for (const auto& [line, count] : counts) {
    const auto& [bytes, type, module] = line;
    if (num_left-- == 0) return;
    std::printf("  %12s %10s  %s  %s\n", count > 1 ? str(count, " x").c_str() : "",
                human_bytes(bytes).c_str(), type.c_str(),
                module.empty() ? "(outside of modules)" : module.c_str());
  }
}

void print_traffic(const PlanRow& row) {
  std::printf("collectives of a device in a step\n");
  bool is_any = false;
  for (const estimate::Traffic& each : row.estimate.traffic) {
    if (each.received_bytes < 1e6) continue;
    is_any = true;
    std::printf("  %-14s %10s  received along %s in %s\n", std::string(name(each.kind)).c_str(),
                human_bytes(static_cast<std::int64_t>(each.received_bytes)).c_str(),
                axes_text(row.mesh, each.axes).c_str(),
                counted(static_cast<std::int64_t>(each.num_calls), "call").c_str());
  }
  if (!is_any) std::printf("  none of a megabyte or more\n");
}

void print_time(const Plan& plan) {
  const PlanRow& row = plan.rows.front();
  const estimate::StepTime& time = row.estimate.time;
  std::printf("time of a step, estimated\n");
  std::printf("  %-12s %10s  at %s of the peak\n", "products", seconds_text(time.products).c_str(),
              metrics::percent(estimate::kProductShare).c_str());
  std::printf("  %-12s %10s  at %s of the peak\n", "memory", seconds_text(time.memory).c_str(),
              metrics::percent(estimate::kMemoryShare).c_str());
  std::printf("  %-12s %10s  at %s of the peak, while products run\n", "links",
              seconds_text(time.links).c_str(), metrics::percent(estimate::kLinkShare).c_str());
  std::printf("  %-12s %10s  %s of the model; MFU %s\n", "all", seconds_text(time.total()).c_str(),
              with_prefix(plan.model_flops, "FLOP").c_str(),
              metrics::percent(plan.mfu(row)).c_str());
}

void print_row(const Plan& plan, const PlanRow& row, std::size_t mesh_width) {
  std::printf("  %-*s  %-18s %8lld  %10s  %-9s  %-9s %8s %6s\n", static_cast<int>(mesh_width),
              to_string(row.mesh).c_str(), row.remat.c_str(),
              static_cast<long long>(row.num_microbatches), human_bytes(row.bytes()).c_str(),
              row.compiled_bytes ? "compiled" : "estimated", plan.fits(row) ? "fits" : "too large",
              seconds_text(row.estimate.time.total()).c_str(),
              metrics::percent(plan.mfu(row)).c_str());
}

void print_advice(const Plan& plan) {
  const PlanRow& config = plan.rows.front();
  if (plan.fits(config)) {
    std::printf("the config fits\n");
    return;
  }
  const auto found =
      std::ranges::find_if(plan.rows, [&](const PlanRow& r) { return plan.fits(r); });
  std::printf("the config does not fit: it needs %s, and a device has %s for it\n",
              human_bytes(config.bytes()).c_str(),
              human_bytes(plan.topology.usable_bytes()).c_str());
  if (found == plan.rows.end()) {
    std::printf("no neighbour fits either: take more devices, or a smaller batch or model\n");
  } else {
    std::printf("this would fit: %s\n", join(found->changes, " ").c_str());
  }
}

void write_row(const Plan& plan, const PlanRow& row, JsonWriter& json) {
  json.begin_object().field("mesh", to_string(row.mesh)).field("remat", row.remat);
  json.field("num_microbatches", row.num_microbatches).key("changes").begin_array();
  for (const std::string& change : row.changes)
    json.value(change);
  json.end_array().field("fits", plan.fits(row)).key("memory_per_device").begin_object();
  for (const MemoryKind& kind : kinds_of(row.estimate.memory))
    json.field(kind.name, kind.bytes);
  json.field("estimated_bytes", row.estimate.memory.total()).key("compiled_bytes");
  row.compiled_bytes ? json.value(*row.compiled_bytes) : json.null();
  json.end_object().key("seconds").begin_object();
  json.field("products", row.estimate.time.products).field("memory", row.estimate.time.memory);
  json.field("links", row.estimate.time.links).field("step", row.estimate.time.total());
  json.end_object().field("mfu", plan.mfu(row)).key("collectives").begin_array();
  for (const estimate::Traffic& each : row.estimate.traffic) {
    json.begin_object()
        .field("kind", name(each.kind))
        .field("axes", axes_text(row.mesh, each.axes));
    json.field("calls", each.num_calls).field("received_bytes", each.received_bytes).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void print_config_needs(const Plan& plan) {
  const PlanRow& row = plan.rows.front();
  std::printf("%s %s, mesh %s, batch of %lld in %s\n",
              with_separators(plan.topology.num_devices).c_str(), plan.topology.device_kind.c_str(),
              to_string(row.mesh).c_str(), static_cast<long long>(plan.batch_size),
              counted(row.num_microbatches, "microbatch", "microbatches").c_str());
  print_memory(plan);
  print_arrays(row.estimate.at_peak);
  print_traffic(row);
  print_time(plan);
  std::fflush(stdout);
}

void print_rows(const Plan& plan, std::size_t num_rows) {
  std::size_t width = 4;
  const std::size_t count = std::min(num_rows + 1, plan.rows.size());
  for (std::size_t i = 0; i < count; ++i)
    width = std::max(width, to_string(plan.rows[i].mesh).size());
  std::printf("the config, then its neighbours: the fastest that fit\n");
  std::printf("  %-*s  %-18s %8s  %10s  %-9s  %-9s %8s %6s\n", static_cast<int>(width), "mesh",
              "remat", "microb.", "memory", "", "", "step", "MFU");
  for (std::size_t i = 0; i < count; ++i)
    print_row(plan, plan.rows[i], width);
  if (plan.num_left_out > 0)
    std::printf("%s not weighed, for lack of time\n",
                counted(plan.num_left_out, "neighbour").c_str());
  print_advice(plan);
  std::fflush(stdout);
}

void print_json(const Plan& plan) {
  JsonWriter json;
  json.begin_object().field("device", plan.topology.device_kind);
  json.field("num_devices", plan.topology.num_devices);
  json.field("device_bytes", plan.topology.device_bytes);
  json.field("reserved_bytes", plan.topology.reserved_bytes);
  json.field("model_flops", plan.model_flops).field("batch_size", plan.batch_size);
  json.field("fits", plan.fits(plan.rows.front())).field("num_left_out", plan.num_left_out);
  json.key("rows").begin_array();
  for (const PlanRow& row : plan.rows)
    write_row(plan, row, json);
  json.end_array().end_object();
  std::cout << json.str() << "\n";
}

}  // namespace meshwright::cli
