// SPDX-License-Identifier: Apache-2.0
// Common functions composed of other ops: means, softmax, activations. Where the textbook formula
// overflows or has a bad gradient, these functions use a stable one.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/reduce.h"

namespace meshwright::graph {

/// The dtype of the result (options.out or, if absent, the dtype of x) must be a float. Computes
/// f16 and bf16 in f32 and rounds once.
Value mean(Value x,
           const Dims& over,
           const ReduceOptions& options = {},
           SourceLoc loc = SourceLoc::current());
/// Returns the mean of the squared deviations from the mean.
Value variance(Value x,
               const Dims& over,
               const ReduceOptions& options = {},
               SourceLoc loc = SourceLoc::current());

/// Returns log(sum(exp(x))) without overflow; -inf if all elements are -inf.
Value logsumexp(Value x,
                Dims over,
                const ReduceOptions& options = {},
                SourceLoc loc = SourceLoc::current());
/// Returns log(exp(a) + exp(b)) without overflow.
Value logaddexp(Operand a, Operand b);
/// Returns exp(x) divided by its sum along one dimension.
Value softmax(Value x, std::int64_t dim, SourceLoc loc = SourceLoc::current());
Value log_softmax(Value x, std::int64_t dim, SourceLoc loc = SourceLoc::current());

/// max(x, 0), with a gradient of 0 at 0.
Value relu(Operand x);
/// x if positive, otherwise slope * x.
Value leaky_relu(Operand x, double slope = 0.01);
/// x if positive, otherwise alpha * (exp(x) - 1).
Value elu(Operand x, double alpha = 1.0);
/// x * logistic(x), also called swish.
Value silu(Operand x);
/// x times the cumulative distribution function of the standard normal distribution.
Value gelu(Operand x);
/// The tanh approximation of gelu, which most published models use.
Value gelu_tanh(Operand x);
/// log(1 + exp(x)).
Value softplus(Operand x);
/// log(logistic(x)).
Value log_sigmoid(Operand x);

}  // namespace meshwright::graph
