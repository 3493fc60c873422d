// SPDX-License-Identifier: Apache-2.0
// Functions that models use every day, made of other ops. Where the obvious formula overflows or
// has a bad gradient, these use a better one.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/reduce.h"

namespace meshwright::graph {

/// For float arrays; f16 and bf16 are computed in f32 and rounded once.
Value mean(Value x,
           const Dims& over,
           const ReduceOptions& options = {},
           SourceLoc loc = SourceLoc::current());
/// The mean square of the distance to the mean.
Value variance(Value x,
               const Dims& over,
               const ReduceOptions& options = {},
               SourceLoc loc = SourceLoc::current());

/// log(sum(exp(x))) without overflow; -inf where all elements are.
Value logsumexp(Value x,
                Dims over,
                const ReduceOptions& options = {},
                SourceLoc loc = SourceLoc::current());
/// log(exp(a) + exp(b)) without overflow.
Value logaddexp(Operand a, Operand b);
/// exp(x) over its sum along one dimension.
Value softmax(Value x, std::int64_t dim, SourceLoc loc = SourceLoc::current());
Value log_softmax(Value x, std::int64_t dim, SourceLoc loc = SourceLoc::current());

/// max(x, 0), with gradient 0 at 0.
Value relu(Operand x);
/// x where it is positive, slope * x elsewhere.
Value leaky_relu(Operand x, double slope = 0.01);
/// x where it is positive, alpha * (exp(x) - 1) elsewhere.
Value elu(Operand x, double alpha = 1.0);
/// x * logistic(x), also called swish.
Value silu(Operand x);
/// x times the normal distribution function of x.
Value gelu(Operand x);
/// The approximation of gelu by tanh, which most published models were trained with.
Value gelu_tanh(Operand x);
/// log(1 + exp(x)).
Value softplus(Operand x);
/// log(logistic(x)).
Value log_sigmoid(Operand x);

}  // namespace meshwright::graph
