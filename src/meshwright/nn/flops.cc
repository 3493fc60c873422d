// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/flops.h"

#include <algorithm>

#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/custom_gradient.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::nn {
namespace {

using graph::Node;
using graph::Region;
using mesh::Mesh;

double of_region(const Region& region, const Mesh& mesh);

double product_of(const Dims& dims) {
  return static_cast<double>(num_elements(dims));
}

double of_dot(const Node& node) {
  double contracted = 1;
  for (std::int64_t dim : node.attr<graph::DotAttrs>().dims.lhs_contract)
    contracted *= static_cast<double>(node.in(0).dims[static_cast<std::size_t>(dim)]);
  return 2 * product_of(node.out().dims) * contracted;
}

// Every result sums over the kernel of its own output feature.
double of_convolution(const Node& node) {
  const auto& attrs = node.attr<graph::ConvAttrs>();
  const Dims& kernel = node.in(1).dims;
  double features = static_cast<double>(kernel[static_cast<std::size_t>(attrs.layout.rhs.outer)]);
  return 2 * product_of(node.out().dims) * product_of(kernel) / features;
}

// In a manual region an array is a part. Each part is computed once, however many devices repeat
// it.
double num_parts(const Node& node, const Mesh& mesh) {
  double parts = 1;
  for (int axis : mesh::positions(node.out().varying))
    parts *= static_cast<double>(mesh.axes()[static_cast<std::size_t>(axis)].size);
  return parts;
}

double of_node(const Node& node, const Mesh& mesh) {
  if (node.op == &graph::kDotGeneral) return of_dot(node) * num_parts(node, mesh);
  if (node.op == &graph::kConvolution) return of_convolution(node) * num_parts(node, mesh);
  if (node.op == &graph::kCustomGradient) return of_region(*node.regions[0], mesh);
  double sum = 0, dearest = 0;
  for (const Region* region : node.regions) {
    double own = of_region(*region, mesh);
    sum += own;
    dearest = std::max(dearest, own);
  }
  if (node.op == &graph::kCond || node.op == &graph::kSwitchCase) return dearest;
  if (node.op == &graph::kScan) {
    return sum * static_cast<double>(node.attr<graph::ScanAttrs>().length);
  }
  return sum;
}

double of_region(const Region& region, const Mesh& mesh) {
  double sum = 0;
  for (const Node* node : region.nodes)
    sum += of_node(*node, mesh);
  return sum;
}

}  // namespace

double num_flops(const graph::Program& program) {
  return of_region(*program.main, program.mesh);
}

double num_training_flops(const std::function<void(graph::Tracer& tracer)>& forward) {
  graph::Tracer tracer;
  forward(tracer);
  return 3 * num_flops(tracer.finish({}));
}

}  // namespace meshwright::nn
