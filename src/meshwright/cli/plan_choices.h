// SPDX-License-Identifier: Apache-2.0
// The choices that `plan` weighs: a config and its neighbours.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/cli/arguments.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/runtime/named_topology.h"
#include "meshwright/train/offline/step_plan.h"

namespace meshwright::cli {

/// How a choice differs from the config, as overrides: "num_microbatches=16". Empty: it does not.
using Changes = std::vector<std::string>;

/// A choice and what is known of it.
struct PlanRow {
  Changes changes;
  mesh::Mesh mesh;
  std::string remat;  // the policies, such as "nothing, attention"
  std::int64_t num_microbatches = 1;
  train::StepEstimate estimate;
  std::optional<std::int64_t> compiled_bytes = {};

  /// Returns the compiled memory or, if it was not compiled, the estimated one.
  std::int64_t bytes() const;
};

struct Plan {
  runtime::NamedTopology topology;
  double model_flops = 0;
  std::int64_t batch_size = 0;
  std::vector<PlanRow> rows;      // first the config, then others, the fastest that fit first
  std::int64_t num_left_out = 0;  // neighbours for which there was no time

  /// Returns the model FLOPs utilization.
  double mfu(const PlanRow& row) const;
  bool fits(const PlanRow& row) const { return row.bytes() <= topology.usable_bytes(); }
};

/// Estimates the config that the arguments name, and its neighbours: meshes with a factor of two or
/// four moved from one axis to another, policies of rematerialisation, and more or fewer
/// microbatches. Neighbours that are refused, or warned of where the config is not, are left out.
/// Those with the fewest changes come first, until the time is over.
Plan make_plan(const Args& args,
               const runtime::NamedTopology& topology,
               std::chrono::milliseconds time = std::chrono::milliseconds(1500));

/// Compiles a row for the topology, and keeps its memory.
void compile_row(const Args& args, const Plan& plan, PlanRow& row);

/// Sorts the rows after the first: those that fit by their time, then the others by their memory.
void sort_rows(Plan& plan);

}  // namespace meshwright::cli
