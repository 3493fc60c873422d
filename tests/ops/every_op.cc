// SPDX-License-Identifier: Apache-2.0
#include "every_op.h"

#include <iterator>

#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/functions.h"

namespace meshwright::graph {
namespace {

using Uses = std::vector<OpUse>;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

OpUse use(std::string name, const std::function<Value(Value)>& build) {
  return {std::move(name), [build](Value x) { return Values{build(x)}; }};
}

OpUse unary(std::string name, Value (*op)(Operand)) {
  return use(std::move(name), [op](Value x) { return op(x); });
}

OpUse binary(std::string name, Value (*op)(Operand, Operand)) {
  return use(std::move(name), [op](Value x) { return op(x, x); });
}

Uses functions() {
  return {unary("exp", exp),         unary("expm1", expm1),
          unary("log", log),         unary("log1p", log1p),
          unary("sqrt", sqrt),       unary("rsqrt", rsqrt),
          unary("cbrt", cbrt),       unary("sin", sin),
          unary("cos", cos),         unary("tan", tan),
          unary("asin", asin),       unary("acos", acos),
          unary("atan", atan),       unary("sinh", sinh),
          unary("cosh", cosh),       unary("tanh", tanh),
          unary("asinh", asinh),     unary("acosh", acosh),
          unary("atanh", atanh),     unary("logistic", logistic),
          unary("erf", erf),         unary("erfc", erfc),
          unary("erf_inv", erf_inv), unary("lgamma", lgamma),
          unary("digamma", digamma), use("polygamma", [](Value x) { return polygamma(2, x); })};
}

Uses arithmetic() {
  return {unary("negate", operator-),
          unary("abs", abs),
          unary("sign", sign),
          unary("square", square),
          unary("reciprocal", reciprocal),
          unary("floor", floor),
          unary("ceil", ceil),
          unary("round_even", round_even),
          unary("round_away", round_away),
          unary("is_finite", is_finite),
          unary("logical_not", logical_not),
          unary("popcount", popcount),
          unary("count_leading_zeros", count_leading_zeros),
          binary("add", operator+),
          binary("subtract", operator-),
          binary("multiply", operator*),
          binary("divide", operator/),
          binary("remainder", remainder),
          binary("pow", pow),
          binary("maximum", maximum),
          binary("minimum", minimum),
          binary("atan2", atan2),
          binary("logical_and", logical_and),
          binary("logical_or", logical_or),
          binary("logical_xor", logical_xor),
          binary("shift_left", shift_left),
          binary("shift_right_arithmetic", shift_right_arithmetic),
          binary("shift_right_logical", shift_right_logical),
          binary("next_after", next_after),
          binary("equal", equal),
          binary("less", operator<),
          binary("greater_equal", operator>=)};
}

Uses conversions() {
  Uses uses = {
      use("where", [](Value x) { return where(equal(x, x), x, x); }),
      use("clamp", [](Value x) { return clamp(x, x, x); }),
      use("constant", [](Value x) { return constant(1, x.dtype(), {3}); }),
      use("reduce_precision", [](Value x) { return reduce_precision(x, f16); }),
  };
  for (DType to : kAllDTypes) {
    uses.push_back(use(str("cast to ", to), [to](Value x) { return cast(x, to); }));
    uses.push_back(use(str("bitcast to ", to), [to](Value x) { return bitcast(x, to); }));
    uses.push_back(use(str("bitcast to one ", to), [to](Value x) {
      std::int64_t count = std::max(1, bit_width(to) / bit_width(x.dtype()));
      return bitcast(broadcast_to(take_slice(x, 1, 0, 1), {4, count}), to);
    }));
  }
  return uses;
}

Uses reductions() {
  return {use("reduce_sum", [](Value x) { return reduce_sum(x, {0}); }),
          use("reduce_prod", [](Value x) { return reduce_prod(x, {0}); }),
          use("reduce_max", [](Value x) { return reduce_max(x, {0}); }),
          use("reduce_min", [](Value x) { return reduce_min(x, {0}); }),
          use("reduce_and", [](Value x) { return reduce_and(x, {0}); }),
          use("reduce_or", [](Value x) { return reduce_or(x, {0}); }),
          use("argmax", [](Value x) { return argmax(x, 0); }),
          use("argmin", [](Value x) { return argmin(x, 0, s64); }),
          use("mean", [](Value x) { return mean(x, {0}); }),
          use("logsumexp", [](Value x) { return logsumexp(x, {0}); }),
          use("softmax", [](Value x) { return softmax(x, 0); }),
          use("cumsum", [](Value x) { return cumsum(x, 0); }),
          use("cumprod", [](Value x) { return cumprod(x, 0); }),
          use("cummax", [](Value x) { return cummax(x, 0); }),
          use("cummin", [](Value x) { return cummin(x, 0); }),
          use("cumlogsumexp", [](Value x) { return cumlogsumexp(x, 0); })};
}

Uses windows() {
  auto select = [](const OpDef& op, bool largest) {
    return [&op, largest](Value x) {
      WindowDim two{.size = 2, .stride = 2};
      Value half = take_slice(take_slice(x, 0, 0, 2), 1, 0, 2);
      bool gathers = &op == &kSelectAndGather;
      return emit_all(op, {x, gathers ? x : half}, SelectAttrs{{two, two}, largest}, {},
                      SourceLoc::current())
          .back();
    };
  };
  return {use("window_sum",
              [](Value x) {
                return window_sum(x, {2, 2});
              }),
          use("window_prod",
              [](Value x) {
                return window_prod(x, {2, 2});
              }),
          use("window_max",
              [](Value x) {
                return window_max(x, {2, 2});
              }),
          use("window_min",
              [](Value x) {
                return window_min(x, {2, 2});
              }),
          use("window_and",
              [](Value x) {
                return window_and(x, {2, 2});
              }),
          use("window_or",
              [](Value x) {
                return window_or(x, {2, 2});
              }),
          use("window_mean",
              [](Value x) {
                return window_mean(x, {2, 2});
              }),
          use("select_and_scatter largest", select(kSelectAndScatter, true)),
          use("select_and_scatter least", select(kSelectAndScatter, false)),
          use("select_and_gather largest", select(kSelectAndGather, true)),
          use("select_and_gather least", select(kSelectAndGather, false))};
}

Uses orders() {
  return {use("sort", [](Value x) { return sort(x); }),
          use("sort down", [](Value x) { return sort(x, {.descending = true}); }),
          use("argsort", [](Value x) { return argsort(x); }),
          {"top_k", [](Value x) {
             TopK found = top_k(x, 2);
             return Values{found.values, found.indices};
           }}};
}

Uses moves() {
  return {use("broadcast",
              [](Value x) {
                return broadcast_to(x, {2, 4, 4});
              }),
          use("reshape",
              [](Value x) {
                return reshape(x, {2, 8});
              }),
          use("transpose",
              [](Value x) {
                return transpose(x, {1, 0});
              }),
          use("reverse", [](Value x) { return reverse(x, {0}); }),
          use("concatenate",
              [](Value x) {
                return concatenate({x, x}, 0);
              }),
          use("pad",
              [](Value x) {
                return pad(x, 1, {.low = {1, 0}, .high = {0, -1}});
              }),
          use("iota",
              [](Value x) {
                return iota(x.dtype(), {3, 4}, 0);
              }),
          use("slice",
              [](Value x) {
                return slice(x, {1, 0}, {4, 4}, {2, 1});
              }),
          use("dynamic_slice",
              [](Value x) {
                return dynamic_slice(x, {1, 1}, {2, 2});
              }),
          use("dynamic_slice by it",
              [](Value x) {
                return dynamic_slice(iota(f32, {9}), {reduce_max(x, {0, 1})}, {2});
              }),
          use("dynamic_update_slice",
              [](Value x) {
                return dynamic_update_slice(x, x, {0, 0});
              }),
          use("optimization_barrier", [](Value x) { return optimization_barrier(x); }),
          use("to_host", [](Value x) { return to_device(to_host(x)); }),
          use("constrain", [](Value x) { return constrain(x, mesh::Sharding::replicated()); }),
          use("stop_gradient", [](Value x) { return stop_gradient(x); }),
          use("save", [](Value x) { return save(x); })};
}

Uses products() {
  Uses uses = {
      use("convolution",
          [](Value x) {
            return convolution(reshape(x, {1, 4, 4, 1}), reshape(x, {4, 4, 1, 1}));
          }),
      use("einsum", [](Value x) { return einsum("a b, b c -> a c", x, x); }),
      use("einsum of batches", [](Value x) { return einsum("a b, a b -> a", x, x); }),
  };
  for (DType out : {f32, f64, bf16, s32, u32}) {
    uses.push_back(use(str("convolution in ", out), [out](Value x) {
      return convolution(reshape(x, {1, 4, 4, 1}), reshape(x, {4, 4, 1, 1}), {.out = out});
    }));
    uses.push_back(use(str("einsum in ", out),
                       [out](Value x) { return einsum("a b, b c -> a c", x, x, {.out = out}); }));
  }
  return uses;
}

OpUse scattering(std::string name,
                 Value (*op)(Value, Value, Value, IndexDims, ScatterOptions, SourceLoc)) {
  return use(std::move(name), [op](Value x) {
    Value rows = constant(HostTensor::from<std::int32_t>({1, 9, 2, 0}, {4}));
    return op(x, rows, x,
              {.offset_dims = {1},
               .collapsed_slice_dims = {0},
               .start_index_map = {0},
               .index_vector_dim = 1},
              {}, SourceLoc::current());
  });
}

Uses indexed() {
  return {use("take",
              [](Value x) {
                return take(x, constant(HostTensor::from<std::int32_t>({1, 9}, {2})));
              }),
          use("take by it", [](Value x) { return take(iota(f32, {3}), x); }),
          use("take_along_dim by it",
              [](Value x) {
                return take_along_dim(iota(f32, {4, 3}), x, 1);
              }),
          use("one_hot of it", [](Value x) { return one_hot(x, 5, f32); }),
          use("one_hot", [](Value x) { return one_hot(constant(1, s32, {3}), 5, x.dtype()); }),
          use("segment_sum", [](Value x) { return segment_sum(x, iota(s32, {4}), 3); }),
          use("segment_sum by it",
              [](Value x) { return segment_sum(iota(f32, {4}), take_index(x, 0, 0), 3); }),
          scattering("scatter", scatter),
          scattering("scatter_add", scatter_add),
          scattering("scatter_mul", scatter_mul),
          scattering("scatter_min", scatter_min),
          scattering("scatter_max", scatter_max)};
}

Uses bodies() {
  return {{"cond",
           [](Value x) {
             auto swapped = [](Args a) { return Values{transpose(a[0], {1, 0})}; };
             auto same = [](Args a) { return Values{a[0]}; };
             Value first = reduce_max(equal(x, x), {0, 1});
             return cond(first, swapped, same, Values{x});
           }},
          {"switch_case by it",
           [](Value x) {
             auto swapped = [](Args a) { return Values{transpose(a[0], {1, 0})}; };
             auto same = [](Args a) { return Values{a[0]}; };
             return switch_case(reduce_max(x, {0, 1}), {swapped, same}, Values{x});
           }},
          {"while",
           [](Value x) {
             auto before = [](Args a) { return a[0] < 2; };
             auto turned = [](Args a) { return Values{a[0] + 1, reverse(a[1], {0})}; };
             return while_loop(before, turned, Values{constant(0, s32), x});
           }},
          {"scan",
           [](Value x) {
             auto body = [](Args carry, Args xs) { return ScanStep{{xs[0]}, {carry[0]}}; };
             ScanResult result = scan(Values{take_index(x, 0, 0)}, Values{x}, body);
             return Values{result.carry[0], result.ys[0]};
           }},
          {"remat",
           [](Value x) {
             return remat(Values{x}, [](Args a) { return Values{transpose(a[0], {1, 0})}; });
           }},
          {"custom_gradient", [](Value x) {
             auto forward = [](Args a) { return ForwardResult{{reverse(a[0], {0})}, {}}; };
             auto backward = [](Args, Args g) { return Values{g[0]}; };
             return custom_gradient(Values{x}, forward, backward);
           }}};
}

Uses random_bits() {
  return {{"threefry2x32",
           [](Value x) {
             auto [a, b] = threefry2x32({x, x}, {x, x});
             return Values{a, b};
           }},
          {"rng_bit_generator", [](Value x) {
             auto [state, bits] = rng_bit_generator(
                 cast(take_slice(take_index(x, 0, 0), 0, 0, 2), u64), {x.dtype(), {3}});
             return Values{state, bits};
           }}};
}

// Repeats x once per device; returns the first device's result.
OpUse on_devices(std::string name, const std::function<Value(Value)>& body) {
  return {std::move(name), [body](Value x) {
            return manual({{broadcast_to(x, {8, 4, 4}), "devices/d rows columns"}}, {"devices/d"},
                          [&](Args parts) {
                            Value result = body(reshape(parts[0], {4, 4}));
                            result = vary(result, mesh::AxisSet::of(0));
                            return Values{reshape(take_index(flatten(result), 0, 0), {1})};
                          });
          }};
}

Uses collectives() {
  const MeshAxes d = {"d"};
  return {
      on_devices("all_reduce sum", [=](Value x) { return all_reduce(x, d); }),
      on_devices("all_reduce max", [=](Value x) { return all_reduce(x, d, Reduction::max); }),
      on_devices("all_reduce min", [=](Value x) { return all_reduce(x, d, Reduction::min); }),
      on_devices("all_gather", [=](Value x) { return all_gather(x, 0, d); }),
      on_devices("all_gather_replicated", [=](Value x) { return all_gather_replicated(x, 0, d); }),
      on_devices("reduce_scatter", [=](Value x) { return reduce_scatter(reshape(x, {16}), 0, d); }),
      on_devices("all_to_all", [=](Value x) { return all_to_all(reshape(x, {16}), 0, 0, d); }),
      on_devices("permute", [=](Value x) { return ring_shift(x, d); }),
      on_devices("axis_index", [=](Value x) { return x + cast(axis_index(d), x.dtype()); })};
}

}  // namespace

std::vector<OpUse> every_op() {
  Uses all;
  for (Uses& family :
       std::vector{functions(), arithmetic(), conversions(), reductions(), windows(), orders(),
                   moves(), products(), indexed(), bodies(), random_bits(), collectives()})
    std::ranges::move(family, std::back_inserter(all));
  return all;
}

}  // namespace meshwright::graph
