// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear/linear.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/linear/linear_formula.h"
#include "meshwright/kernels/linear/linear_ops.h"
#include "meshwright/kernels/simd/panels_bf16.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

// With fewer rows, as in decoding, reading the weight dominates.
constexpr std::int64_t kFewestRows = 16;

bool is_taken(DType dtype) {
  return dtype == f32 || dtype == bf16;
}

std::int64_t num_rows(Value x, std::int64_t num_in) {
  std::int64_t rows = 1;
  for (std::int64_t d = 0; d < x.rank() - num_in; ++d)
    rows *= x.dim(static_cast<int>(d));
  return rows;
}

void check(const LinearOptions& options, Value x, SourceLoc loc) {
  if (options.factor.is_null()) return;
  MW_CHECK(options.activation, "linear: a factor requires an activation", graph::origin(loc));
  MW_CHECK(options.factor.type().array() == x.type().array(), "linear: the factor must be ", x,
           ", got ", options.factor, graph::origin(loc));
}

graph::CpuFeatures features_of_this_host() {
  return {.has_float_tiles = has_float_tiles(),
          .has_bf16_pairs = has_bf16_pairs(),
          .has_bf16_tiles = has_bf16_tiles()};
}

std::string obstacle_of_cpu(const graph::CpuFeatures& cpu, DType multiplied) {
  if (multiplied != bf16) return cpu.has_float_tiles ? "" : "XLA is as fast without AVX-512";
  if (!cpu.has_bf16_pairs) return "XLA is as fast without AVX512_BF16";
  return cpu.has_bf16_tiles ? "XLA is faster with AMX" : "";
}

}  // namespace

// The thresholds were measured.
std::string obstacle_of_linear(const graph::Node& op, const graph::KernelTarget& target) {
  const auto& attrs = op.attr<LinearAttrs>();
  Value x = op.operands[0], weight = op.operands[1];
  for (DType dtype : {x.dtype(), weight.dtype(), attrs.out})
    if (!is_taken(dtype)) return str("dtype ", dtype);
  // As a formula, the gradients of a product are ordinary products, too.
  std::string found = graph::obstacle_of_cpu_kernels(target.program);
  if (!found.empty()) return found;
  const std::optional<graph::CpuFeatures>& cpu = target.program.cpu;
  found = obstacle_of_cpu(cpu ? *cpu : features_of_this_host(),
                          multiplied_dtype(x.dtype(), weight.dtype()));
  if (found.empty() && num_rows(x, num_axes(attrs.axes.in)) < kFewestRows)
    found = str("fewer than ", kFewestRows, " rows");
  return found;
}

Value linear(LinearAxes axes, Value x, Value weight, const LinearOptions& options, SourceLoc loc) {
  check(options, x, loc);
  const DType out = options.out.value_or(x.dtype());
  if (graph::becomes_kernel(kLinear, {x, weight}, LinearAttrs{.axes = axes, .out = out}))
    return linear_call(std::move(axes), x, weight, options, loc);
  if (options.activation) x = activation(*options.activation, x, options.factor);
  return linear_formula({std::move(axes), out}, x, weight, {.bias = options.bias});
}

Value linear_call(
    LinearAxes axes, Value x, Value weight, const LinearOptions& options, SourceLoc loc) {
  check(options, x, loc);
  LinearAttrs attrs{.axes = std::move(axes),
                    .out = options.out.value_or(x.dtype()),
                    .activation = options.activation,
                    .has_factor = !options.factor.is_null()};
  // The gradient kernel supports a bias only if the weight is not transposed; otherwise the bias is
  // added after the call.
  attrs.has_bias =
      !options.bias.is_null() && !attrs.axes.is_transposed && sees_whole_sums(attrs.axes);
  std::vector<Value> operands = {x, weight};
  if (attrs.has_bias) operands.push_back(options.bias);
  if (attrs.has_factor) operands.push_back(options.factor);
  const bool adds_later = !options.bias.is_null() && !attrs.has_bias;
  Value out = graph::emit_all(kLinear, std::move(operands), std::move(attrs), {}, loc)[0];
  return adds_later ? out + graph::cast(options.bias, out.dtype()) : out;
}

}  // namespace meshwright::kernels
