// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/cudnn_attention.h"

#include <utility>

#include "meshwright/base/json.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/kernels/attention/attention_operands.h"

namespace meshwright::kernels {

using graph::Node;
using graph::Value;

namespace {

constexpr std::int64_t kMostDim = 128;

// cuDNN's arrays are [batch, len, heads, dim]; head h uses the key head h / (heads / key heads).
Value with_heads(Value q) {
  return graph::reshape(q, {q.dim(0), q.dim(1), q.dim(2) * q.dim(3), q.dim(4)});
}

// Results are stored as [batch, len, heads, dim], but typed as [batch, heads, len, dim].
const Dims kLayout = {3, 1, 2, 0};
Value by_position(Value x) {
  return graph::transpose(x, {0, 2, 1, 3});
}

// The dimensions of a product: those that are summed, and those of the batch.
struct Contraction {
  const char* name;
  int lhs, rhs;
  Dims lhs_batch, rhs_batch;
};

void write_dims(JsonWriter& json, const char* name, const Dims& dims) {
  json.key(name).begin_array();
  for (const std::int64_t dim : dims)
    json.value(str(dim));
  json.end_array();
}

void write_contraction(JsonWriter& json, const Contraction& product) {
  json.key(product.name).begin_object();
  write_dims(json, "lhs_contracting_dimensions", {product.lhs});
  write_dims(json, "rhs_contracting_dimensions", {product.rhs});
  write_dims(json, "lhs_batch_dimensions", product.lhs_batch);
  write_dims(json, "rhs_batch_dimensions", product.rhs_batch);
  json.end_object();
}

// The members of XLA's protobuf of a shape.
void write_shape_of_scores(JsonWriter& json, Value q, Value k) {
  json.key("intermediate_tensor_shape").begin_object().field("element_type", "BF16");
  write_dims(json, "dimensions", {q.dim(0), q.dim(2) * q.dim(3), q.dim(1), k.dim(1)});
  json.key("tuple_shapes").begin_array().end_array();
  json.key("layout").begin_object();
  for (const char* unused : {"dim_level_types", "dim_unique", "dim_ordered"})
    json.key(unused).begin_array().end_array();
  write_dims(json, "minor_to_major", {3, 2, 1, 0});
  json.key("tiles").begin_array().end_array();
  json.field("element_size_in_bits", "0").field("memory_space", "0");
  json.field("index_primitive_type", "PRIMITIVE_TYPE_INVALID");
  json.field("pointer_primitive_type", "PRIMITIVE_TYPE_INVALID");
  json.field("dynamic_shape_metadata_prefix_bytes", "0").end_object();
  json.key("is_dynamic_dimension").begin_array();
  for (int dim = 0; dim < 4; ++dim)
    json.value(false);
  json.end_array().end_object();
}

void write_algorithm(JsonWriter& json) {
  json.key("algorithm").begin_object();
  json.field("algo_id", "0").field("math_type", "TENSOR_OP_MATH");
  json.key("tuning_knobs").begin_object().field("17", "1").field("24", "0").end_object();
  json.field("is_cudnn_frontend", true).field("workspace_size", "0").end_object();
}

// The queries are scaled already. Without dropout, the seed has no effect.
std::string config_of(const Node& node,
                      Value q,
                      Value k,
                      const std::vector<Contraction>& products) {
  JsonWriter json;
  json.begin_object().field("operation_queue_id", "0");
  json.key("cudnn_fmha_backend_config").begin_object();
  write_algorithm(json);
  json.field("fmha_scale", 1.0);
  write_shape_of_scores(json, q, k);
  json.field("is_flash_attention", true);
  json.field("mask_type", node.attr<AttentionAttrs>().causal ? "CAUSAL" : "NO_MASK");
  for (const Contraction& product : products)
    write_contraction(json, product);
  json.field("dropout_rate", 0.0).field("seed", 42).field("sliding_window_length", 0);
  json.field("max_seg_per_batch", 1).field("is_paged_attention", false);
  json.end_object().end_object();
  return json.str();
}

// XLA finds out how large the workspace must be.
std::vector<Value> call_cudnn(std::string target,
                              std::vector<Value> operands,
                              std::vector<ArrayType> results,
                              std::vector<Dims> layouts,
                              std::string config) {
  results.push_back({u8, {0}});
  layouts.push_back({0});
  return graph::custom_call(std::move(target), std::move(operands),
                            {.results = std::move(results),
                             .attributes = {},
                             .aliases = {},
                             .library = graph::LibraryCall{std::move(config), std::move(layouts)}});
}

// A bias is [kv, q, len, src].
Value as_cudnn_bias(Value bias) {
  const Dims dims = {1, bias.dim(0) * bias.dim(1), bias.dim(2), bias.dim(3)};
  return graph::reshape(graph::cast(bias, bf16), dims);
}

Dims per_head(Value x) {  // of [batch, len, heads, dim]
  return {x.dim(0), x.dim(2), x.dim(1), x.dim(3)};
}

}  // namespace

std::string obstacle_of_cudnn(const Node& op, int first_extra) {
  const graph::Type &q = op.in(0), &k = op.in(1);
  if (q.dtype != bf16) return str("cuDNN's attention takes bf16, not ", q.dtype);
  if (q.dims[4] > kMostDim || q.dims[4] % 8 != 0)
    return str("cuDNN's attention takes heads of at most ", kMostDim,
               " dimensions, a multiple of 8, not ", q.dims[4]);
  for (int i = first_extra; i < op.num_operands(); ++i) {
    const graph::Type& extra = op.in(i);
    if (extra.dtype == pred) return "cuDNN's attention takes no mask";
    if (extra.dtype == s32)
      return extra.rank() == 1 ? "cuDNN's attention takes no prefixes"
                               : "cuDNN's attention takes no documents";
    if (extra.rank() == 3) return "cuDNN's attention takes no bias by distance";
    if (q.dims[1] % 2 != 0 || k.dims[1] % 2 != 0)
      return "cuDNN's attention takes a bias only for even numbers of queries and keys";
  }
  return "";
}

std::vector<Value> attention_by_cudnn(const Node& node, std::span<const Value> in) {
  Value q = with_heads(in[0]), bias = options_of(node, in, 3).bias;
  std::vector<Value> operands = {q, in[1], in[2]};
  if (!bias.is_null()) operands.push_back(as_cudnn_bias(bias));
  const Dims sums = {q.dim(0), q.dim(2), q.dim(1)};
  const std::vector<Value> results =
      call_cudnn(bias.is_null() ? "__cudnn$fmhaSoftmax" : "__cudnn$fmhaScaleBiasSoftmax",
                 std::move(operands), {{bf16, per_head(q)}, {f32, sums}}, {kLayout, {2, 1, 0}},
                 config_of(node, in[0], in[1],
                           {{"bmm1_dot_dimension_numbers", 3, 3, {0, 2}, {0, 2}},
                            {"bmm2_dot_dimension_numbers", 3, 1, {0, 1}, {0, 2}}}));
  return {graph::reshape(by_position(results[0]), in[0].dims()),
          graph::reshape(results[1], {in[0].dim(0), in[0].dim(2), in[0].dim(3), in[0].dim(1)})};
}

std::vector<Value> attention_gradient_by_cudnn(const Node& node, std::span<const Value> in) {
  Value q = with_heads(in[0]), k = in[1], bias = options_of(node, in, 6).bias;
  Value sums = graph::reshape(in[5], {q.dim(0), q.dim(2), q.dim(1)});
  std::vector<Value> operands = {q, k, in[2], sums, with_heads(in[3])};
  std::vector<ArrayType> types = {{bf16, per_head(q)}, {bf16, per_head(k)}, {bf16, per_head(k)}};
  std::vector<Dims> layouts(3, kLayout);
  if (!bias.is_null()) {
    operands.push_back(as_cudnn_bias(bias));
    types.push_back({bf16, operands.back().dims()});
    layouts.push_back({3, 2, 1, 0});
  }
  operands.push_back(with_heads(in[4]));
  const std::vector<Value> results = call_cudnn(
      bias.is_null() ? "__cudnn$fmhaSoftmaxBackward" : "__cudnn$fmhaScaleBiasSoftmaxBackward",
      std::move(operands), std::move(types), std::move(layouts),
      config_of(node, in[0], k,
                {{"bmm1_grad_gemm1_dot_dimension_numbers", 2, 1, {0, 1}, {0, 2}},
                 {"bmm1_grad_gemm2_dot_dimension_numbers", 3, 1, {0, 1}, {0, 2}},
                 {"bmm2_grad_gemm1_dot_dimension_numbers", 2, 1, {0, 1}, {0, 2}},
                 {"bmm2_grad_gemm2_dot_dimension_numbers", 3, 3, {0, 2}, {0, 2}}}));
  std::vector<Value> out = {graph::reshape(by_position(results[0]), in[0].dims()),
                            by_position(results[1]), by_position(results[2])};
  if (!bias.is_null()) out.push_back(graph::reshape(graph::cast(results[3], f32), bias.dims()));
  return out;
}

}  // namespace meshwright::kernels
