// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/flops.h"

#include <algorithm>
#include <utility>

#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/custom_gradient.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/kernels/attention/attention.h"
#include "meshwright/kernels/attention/flash_attention.h"
#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/kernels/linear/linear.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::nn {
namespace {

using graph::Node;
using graph::Region;
using mesh::Mesh;

std::vector<Product> of_region(const Region& region, const Mesh& mesh);

double flops_of(const std::vector<Product>& products) {
  double sum = 0;
  for (const Product& product : products)
    sum += product.num_flops();
  return sum;
}

std::int64_t size_of(const graph::Type& type, const Dims& positions) {
  std::int64_t out = 1;
  for (std::int64_t dim : positions)
    out *= type.dims[static_cast<std::size_t>(dim)];
  return out;
}

// Returns the number of distinct shards. In a manual region an array is one shard; replicas of a
// shard count once.
double num_distinct_shards(const Node& node, const Mesh& mesh) {
  double parts = 1;
  for (int axis : mesh::positions(node.out().varying))
    parts *= static_cast<double>(mesh.axes()[static_cast<std::size_t>(axis)].size);
  return parts;
}

Product of_dot(const Node& node, const Mesh& mesh) {
  const graph::DotDims& dims = node.attr<graph::DotAttrs>().dims;
  Product out{.dtype = node.in(0).dtype, .times = num_distinct_shards(node, mesh)};
  out.batch = size_of(node.in(0), dims.lhs_batch);
  out.k = size_of(node.in(0), dims.lhs_contract);
  out.m = num_elements(node.in(0).dims) / (out.batch * out.k);
  out.n = num_elements(node.in(1).dims) / (out.batch * out.k);
  return out;
}

// Each output element is a dot product with the kernel of its feature.
Product of_convolution(const Node& node, const Mesh& mesh) {
  const auto& attrs = node.attr<graph::ConvAttrs>();
  const Dims& kernel = node.in(1).dims;
  Product out{.dtype = node.in(0).dtype, .times = num_distinct_shards(node, mesh)};
  out.n = kernel[static_cast<std::size_t>(attrs.layout.rhs.outer)];
  out.k = num_elements(kernel) / out.n;
  out.m = num_elements(node.out().dims) / out.n;
  return out;
}

// The scores, and the weighted sums of values. Causality does not count, but windows do.
std::vector<Product> of_attention(const Node& node, const Mesh& mesh) {
  const Dims &q = node.in(0).dims, &k = node.in(1).dims;  // batch len kv q dim, batch src kv dim
  const std::int64_t window = node.attr<kernels::AttentionAttrs>().window;
  Product scores{.batch = q[0] * q[2],
                 .m = q[1] * q[3],
                 .k = q[4],
                 .n = window > 0 ? std::min(window, k[1]) : k[1],
                 .dtype = node.in(0).dtype,
                 .times = num_distinct_shards(node, mesh)};
  Product sums = scores;
  std::swap(sums.k, sums.n);
  return {scores, sums};
}

// Two products per product of the forward pass. Recomputed scores do not count.
std::vector<Product> of_attention_gradient(const Node& node, const Mesh& mesh) {
  std::vector<Product> out = of_attention(node, mesh);
  for (Product product : of_attention(node, mesh)) {
    std::swap(product.m, product.n);
    std::swap(product.k, product.n);
    out.push_back(product);
  }
  return out;
}

// The logits, then the gradients of both operands.
std::vector<Product> of_cross_entropy(const Node& node, const Mesh& mesh) {
  const Dims& x = node.in(0).dims;
  Product product{.m = num_elements(node.in(2).dims),
                  .k = x.back(),
                  .n = num_elements(node.in(1).dims) / x.back(),
                  .dtype = node.in(0).dtype,
                  .times = num_distinct_shards(node, mesh)};
  if (node.op == &kernels::kCrossEntropy) return {product};
  Product of_x = product, of_table = product;
  std::swap(of_x.k, of_x.n);
  std::swap(of_table.m, of_table.k);
  const auto& wanted = node.attr<kernels::CrossEntropyAttrs>();
  std::vector<Product> out = {product};
  if (wanted.d_x) out.push_back(of_x);
  if (wanted.d_table) out.push_back(of_table);
  return out;
}

// Handles a linear layer, its input gradient and its weight gradient, which sums over lead axes.
Product of_linear(const Node& node, const Mesh& mesh) {
  const auto& axes = node.attr<kernels::LinearAttrs>().axes;
  const auto num_lead = std::ssize(AxisSpec::parse(axes.lead).names());
  auto size = [&](const Dims& dims, bool is_lead) {
    return num_elements(is_lead ? Dims(dims.begin(), dims.begin() + num_lead)
                                : Dims(dims.begin() + num_lead, dims.end()));
  };
  const bool is_gradient = node.op == &kernels::kLinearGradient;
  const graph::Type &x = node.in(0), &y = is_gradient ? node.in(1) : node.out();
  Product out{.m = size(x.dims, true),
              .k = size(x.dims, false),
              .n = size(y.dims, false),
              .dtype = std::min(x.dtype, node.in(1).dtype),
              .times = num_distinct_shards(node, mesh)};
  if (is_gradient) std::swap(out.m, out.k);
  return out;
}

std::vector<Product> of_regions(const Node& node, const Mesh& mesh) {
  std::vector<Product> all, dearest;
  for (const Region* region : node.regions) {
    std::vector<Product> own = of_region(*region, mesh);
    all.insert(all.end(), own.begin(), own.end());
    if (flops_of(own) > flops_of(dearest)) dearest = std::move(own);
  }
  return node.op == &graph::kCond || node.op == &graph::kSwitchCase ? dearest : all;
}

std::vector<Product> of_node(const Node& node, const Mesh& mesh) {
  if (node.op == &graph::kDotGeneral) return {of_dot(node, mesh)};
  if (node.op == &kernels::kLinear || node.op == &kernels::kLinearGradient ||
      node.op == &kernels::kActivatedGradient)
    return {of_linear(node, mesh)};
  if (node.op == &graph::kConvolution) return {of_convolution(node, mesh)};
  if (kernels::is_attention(node)) return of_attention(node, mesh);
  if (node.op == &kernels::kAttentionGradient || node.op == &kernels::kFlashAttentionGradient)
    return of_attention_gradient(node, mesh);
  if (node.op == &kernels::kCrossEntropy || node.op == &kernels::kCrossEntropyGradient)
    return of_cross_entropy(node, mesh);
  if (node.op == &graph::kCustomGradient) return of_region(*node.regions[0], mesh);
  std::vector<Product> out = of_regions(node, mesh);
  if (node.op == &graph::kScan) {
    for (Product& product : out)
      product.times *= static_cast<double>(node.attr<graph::ScanAttrs>().length);
  }
  return out;
}

std::vector<Product> of_region(const Region& region, const Mesh& mesh) {
  std::vector<Product> out;
  for (const Node* node : region.nodes) {
    std::vector<Product> own = of_node(*node, mesh);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

}  // namespace

std::vector<Product> products(const graph::Program& program) {
  return of_region(*program.main, program.mesh);
}

double num_flops(const graph::Program& program) {
  return flops_of(products(program));
}

double num_training_flops(const std::function<void(graph::Tracer& tracer)>& forward) {
  graph::Tracer tracer;
  forward(tracer);
  return 3 * num_flops(tracer.finish({}));
}

}  // namespace meshwright::nn
