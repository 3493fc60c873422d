// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

struct ArgumentInfo {
  std::string name;                        // for messages
  std::optional<mesh::Sharding> sharding;  // absent: the partitioner may choose
  std::optional<int> donated_to;           // the result that may take over its memory
};

struct ResultInfo {
  std::string name;
  std::optional<mesh::Sharding> sharding;
};

/// A finished trace: a main region with what is known of its arguments and results.
struct Program {
  std::shared_ptr<Graph> graph;
  Region* main = nullptr;
  mesh::Mesh mesh;
  std::vector<ArgumentInfo> arguments;
  std::vector<ResultInfo> results;
  mesh::AxisRules activations;        // by which kernels are split
  std::vector<std::string> warnings;  // one line each
};

}  // namespace meshwright::graph
