// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/functions.h"

#include <cmath>
#include <numbers>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

void check_float(std::string_view name, const Value& x, DType dtype, SourceLoc loc) {
  MW_CHECK(is_float(dtype), name, ": expects a float array, got ", x,
           is_float(x.dtype()) ? "" : "; cast it or pass {.out = f32}", origin(loc));
}

DType wide(DType dtype) {
  return dtype == f16 || dtype == bf16 ? f32 : dtype;
}

double count(const Value& x, const Dims& over) {
  double product = 1;
  for (std::int64_t dim : over)
    product *= static_cast<double>(x.dim(static_cast<int>(dim)));
  return product;
}

// Returns the largest element along `over`, by which to shift x. The shift cancels out, so it needs
// no gradient.
Value largest(Value x, const Dims& over) {
  return stop_gradient(reduce_max(x, over, {.keep_dims = true}));
}

}  // namespace

Value mean(Value x, const Dims& over, const ReduceOptions& options, SourceLoc loc) {
  CallScope call(loc);
  DType dtype = options.out.value_or(x.dtype());
  check_float("mean", x, dtype, loc);
  Value sum = reduce_sum(x, over, {options.keep_dims, wide(dtype)});
  return cast(sum / count(x, over), dtype);
}

Value variance(Value x, const Dims& over, const ReduceOptions& options, SourceLoc loc) {
  CallScope call(loc);
  DType dtype = options.out.value_or(x.dtype());
  check_float("variance", x, dtype, loc);
  Value exact = cast(x, wide(dtype));
  Value distance = exact - mean(exact, over, {.keep_dims = true});
  return cast(mean(square(distance), over, {options.keep_dims}), dtype);
}

Value logsumexp(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  CallScope call(loc);
  DType dtype = options.out.value_or(x.dtype());
  check_float("logsumexp", x, dtype, loc);
  x = cast(x, dtype);
  Value shift = largest(x, over);
  shift = where(is_finite(shift), shift, 0);  // inf - inf would be NaN
  Value sum = reduce_sum(exp(x - shift), over, {.keep_dims = true});
  Value out = log(sum) + shift;
  return options.keep_dims ? out : squeeze(out, std::move(over));
}

Value logaddexp(Operand a, Operand b) {
  CallScope call(a.loc());
  Value distance = where(equal(a, b), 0, a - b);  // inf - inf would be NaN
  return maximum(a, b) + log1p(exp(-abs(distance)));
}

Value softmax(Value x, std::int64_t dim, SourceLoc loc) {
  CallScope call(loc);
  check_float("softmax", x, x.dtype(), loc);
  Value powers = exp(x - largest(x, {dim}));
  return powers / reduce_sum(powers, {dim}, {.keep_dims = true});
}

Value log_softmax(Value x, std::int64_t dim, SourceLoc loc) {
  CallScope call(loc);
  check_float("log_softmax", x, x.dtype(), loc);
  Value shifted = x - largest(x, {dim});
  return shifted - log(reduce_sum(exp(shifted), {dim}, {.keep_dims = true}));
}

Value relu(Operand x) {
  CallScope call(x.loc());
  return where(x <= 0, 0, x);  // keeps NaN; max(x, 0) would have a gradient of 0.5 at 0
}

Value leaky_relu(Operand x, double slope) {
  CallScope call(x.loc());
  return where(x >= 0, x, x * slope);
}

Value elu(Operand x, double alpha) {
  CallScope call(x.loc());
  // Where expm1 is not selected, it must not overflow: its gradient would be 0 * inf.
  Value negative = where(x > 0, 0, x);
  return where(x > 0, x, expm1(negative) * alpha);
}

Value silu(Operand x) {
  CallScope call(x.loc());
  return x * logistic(x);
}

Value gelu(Operand x) {
  CallScope call(x.loc());
  return x * 0.5 * erfc(x * -std::numbers::sqrt2 * 0.5);
}

Value gelu_tanh(Operand x) {
  CallScope call(x.loc());
  double scale = std::sqrt(2 * std::numbers::inv_pi);
  Value cubic = x * (square(x) * 0.044715 + 1);
  return x * 0.5 * (tanh(cubic * scale) + 1);
}

Value softplus(Operand x) {
  CallScope call(x.loc());
  return logaddexp(x, 0);
}

Value log_sigmoid(Operand x) {
  CallScope call(x.loc());
  return -softplus(-x);
}

}  // namespace meshwright::graph
