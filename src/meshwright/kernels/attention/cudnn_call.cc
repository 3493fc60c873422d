// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/cudnn_call.h"

#include <string>
#include <utility>

#include "meshwright/base/json.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

// Results are stored as [batch, len, heads, dim], but typed as [batch, heads, len, dim].
const Dims kLayout = {3, 1, 2, 0};
Value by_position(Value x) {
  return graph::transpose(x, {0, 2, 1, 3});
}

Dims per_head(Value x) {
  return {x.dim(0), x.dim(2), x.dim(1), x.dim(3)};
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
void write_shape_of_scores(JsonWriter& json, const CudnnInput& in) {
  json.key("intermediate_tensor_shape").begin_object().field("element_type", "BF16");
  write_dims(json, "dimensions", {in.q.dim(0), in.q.dim(2), in.q.dim(1), in.k.dim(1)});
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

const char* mask_type_of(const CudnnMask& mask) {
  if (mask.query_lengths.is_null()) return mask.causal ? "CAUSAL" : "NO_MASK";
  return mask.causal ? "PADDING_CAUSAL" : "PADDING";
}

// The queries are scaled already. Without dropout, the seed has no effect.
std::string config_of(const CudnnInput& in, const std::vector<Contraction>& products) {
  JsonWriter json;
  json.begin_object().field("operation_queue_id", "0");
  json.key("cudnn_fmha_backend_config").begin_object();
  write_algorithm(json);
  json.field("fmha_scale", 1.0);
  write_shape_of_scores(json, in);
  json.field("is_flash_attention", true);
  json.field("mask_type", mask_type_of(in.mask));
  for (const Contraction& product : products)
    write_contraction(json, product);
  json.field("dropout_rate", 0.0).field("seed", 42);
  json.field("sliding_window_length", in.mask.window);
  json.field("max_seg_per_batch", in.mask.documents_per_row).field("is_paged_attention", false);
  json.end_object().end_object();
  return json.str();
}

void add_mask(const CudnnMask& mask, std::vector<Value>& operands) {
  for (Value each : {mask.query_lengths, mask.key_lengths, mask.query_offsets, mask.key_offsets})
    if (!each.is_null()) operands.push_back(each);
}

// XLA finds out how large the workspace must be.
std::vector<Value> call_library(std::string target,
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

}  // namespace

CudnnOutput call_cudnn_attention(const CudnnInput& in) {
  std::vector<Value> operands = {in.q, in.k, in.v};
  if (!in.bias.is_null()) operands.push_back(in.bias);
  add_mask(in.mask, operands);
  const Dims sums = {in.q.dim(0) * in.mask.documents_per_row, in.q.dim(2), in.q.dim(1)};
  const std::vector<Value> results =
      call_library(in.bias.is_null() ? "__cudnn$fmhaSoftmax" : "__cudnn$fmhaScaleBiasSoftmax",
                   std::move(operands), {{bf16, per_head(in.q)}, {f32, sums}}, {kLayout, {2, 1, 0}},
                   config_of(in, {{"bmm1_dot_dimension_numbers", 3, 3, {0, 2}, {0, 2}},
                                  {"bmm2_dot_dimension_numbers", 3, 1, {0, 1}, {0, 2}}}));
  return {by_position(results[0]), results[1]};
}

CudnnGradients call_cudnn_attention_gradient(const CudnnInput& in,
                                             const CudnnOutput& forward,
                                             Value given) {
  std::vector<Value> operands = {in.q, in.k, in.v, forward.log_sums, given};
  std::vector<ArrayType> types = {
      {bf16, per_head(in.q)}, {bf16, per_head(in.k)}, {bf16, per_head(in.k)}};
  std::vector<Dims> layouts(3, kLayout);
  if (!in.bias.is_null()) {
    operands.push_back(in.bias);
    types.push_back({bf16, in.bias.dims()});
    layouts.push_back({3, 2, 1, 0});
  }
  operands.push_back(forward.out);
  add_mask(in.mask, operands);
  const std::vector<Value> results = call_library(
      in.bias.is_null() ? "__cudnn$fmhaSoftmaxBackward" : "__cudnn$fmhaScaleBiasSoftmaxBackward",
      std::move(operands), std::move(types), std::move(layouts),
      config_of(in, {{"bmm1_grad_gemm1_dot_dimension_numbers", 2, 1, {0, 1}, {0, 2}},
                     {"bmm1_grad_gemm2_dot_dimension_numbers", 3, 1, {0, 1}, {0, 2}},
                     {"bmm2_grad_gemm1_dot_dimension_numbers", 2, 1, {0, 1}, {0, 2}},
                     {"bmm2_grad_gemm2_dot_dimension_numbers", 3, 3, {0, 2}, {0, 2}}}));
  return {by_position(results[0]), by_position(results[1]), by_position(results[2]),
          in.bias.is_null() ? Value() : results[3]};
}

}  // namespace meshwright::kernels
