// SPDX-License-Identifier: Apache-2.0
#include "row_kernels.h"

#include <numeric>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::spmd {

using graph::Node;
using graph::OpDef;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

template <typename T>
std::span<T> row_of(std::span<T> x, std::int64_t row, std::size_t width) {
  return x.subspan(static_cast<std::size_t>(row) * width, width);
}

float mean_of(std::span<const float> row) {
  return std::accumulate(row.begin(), row.end(), 0.0f) / static_cast<float>(row.size());
}

struct CenterRows {
  static constexpr std::string_view kName = "mw_test_center_rows";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0).values<float>();
    auto scale = call.input(1).values<float>(), bias = call.input(2).values<float>();
    auto y = call.output(0).values<float>();
    call.parallel_for(call.input(0).dims[0], [&](std::int64_t row) {
      auto in = row_of(x, row, scale.size());
      auto out = row_of(y, row, scale.size());
      float mean = mean_of(in);
      for (std::size_t i = 0; i < scale.size(); ++i)
        out[i] = (in[i] - mean) * scale[i] + bias[i];
    });
  }
};

struct CenterRowsGradient {
  static constexpr std::string_view kName = "mw_test_center_rows_gradient";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0).values<float>(), scale = call.input(1).values<float>();
    auto dy = call.input(2).values<float>();
    auto dx = call.output(0).values<float>();
    auto dscale = call.output(1).values<float>(), dbias = call.output(2).values<float>();
    std::ranges::fill(dscale, 0.0f);
    std::ranges::fill(dbias, 0.0f);
    for (std::int64_t row = 0; row < call.input(0).dims[0]; ++row) {
      auto in = row_of(x, row, scale.size());
      auto grad = row_of(dy, row, scale.size());
      auto out = row_of(dx, row, scale.size());
      float mean = mean_of(in);
      for (std::size_t i = 0; i < scale.size(); ++i) {
        out[i] = grad[i] * scale[i];
        dscale[i] += grad[i] * (in[i] - mean);
        dbias[i] += grad[i];
      }
      float mean_out = mean_of(out);
      for (float& value : out)
        value -= mean_out;
    }
  }
};

struct AddInPlace {
  static constexpr std::string_view kName = "mw_test_add_in_place";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    auto x = call.input(0).values<float>();
    auto y = call.output(0).values<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = x[i] + call.attr<float>("by");
  }
};

constexpr pjrt::Kernel kCenterRowsKernel = pjrt::kernel<CenterRows>();
constexpr pjrt::Kernel kCenterRowsGradientKernel = pjrt::kernel<CenterRowsGradient>();
constexpr pjrt::Kernel kAddInPlaceKernel = pjrt::kernel<AddInPlace>();

Value centered(Value x) {
  return x - graph::mean(x, {1}, {.keep_dims = true});
}

void center_rows_vjp(VjpContext& c) {
  std::vector<Value> gradients =
      graph::emit_all(kCenterRowsGradient, {c.operand(0), c.operand(1), c.cotangent()}, {}, {}, {});
  for (int i = 0; i < 3; ++i)
    c.add(i, gradients[static_cast<std::size_t>(i)]);
}

std::vector<Value> center_rows_gradient_reference(const Node&, std::span<const Value> in) {
  return {centered(in[2] * in[1]), graph::reduce_sum(in[2] * centered(in[0]), {0}),
          graph::reduce_sum(in[2], {0})};
}

}  // namespace

const OpDef kCenterRows{.name = "center_rows",
                        .infer = [](const Node& node) { return std::vector{node.in(0)}; },
                        .write =
                            [](Writer& writer, const Node& node) {
                              graph::write_custom_call(
                                  writer, node, {.target = CenterRows::kName, .attributes = {}});
                            },
                        .vjp = center_rows_vjp,
                        .handler = &kCenterRowsKernel,
                        .reference =
                            [](const Node&, std::span<const Value> in) {
                              return std::vector{plain_center_rows(in[0], in[1], in[2])};
                            },
                        .axes =
                            [](const Node&) {
                              return graph::KernelAxes{.operands = {"rows cols", "cols", "cols"},
                                                       .results = {"rows cols"},
                                                       .whole = {"cols"}};
                            }};

const OpDef kCenterRowsGradient{
    .name = "center_rows_gradient",
    .infer =
        [](const Node& node) {
          return std::vector{node.in(0), node.in(1), node.in(1)};
        },
    .write =
        [](Writer& writer, const Node& node) {
          graph::write_custom_call(writer, node,
                                   {.target = CenterRowsGradient::kName, .attributes = {}});
        },
    .vjp = graph::kReferenceGradient,
    .handler = &kCenterRowsGradientKernel,
    .reference = center_rows_gradient_reference,
    .axes =
        [](const Node&) {
          return graph::KernelAxes{.operands = {"rows cols", "cols", "rows cols"},
                                   .results = {"rows cols", "cols", "cols"},
                                   .whole = {"cols"},
                                   .summed = {"rows"}};
        }};

const OpDef kAddInPlace{
    .name = "add_in_place",
    .infer = [](const Node& node) { return std::vector{node.in(0)}; },
    .write =
        [](Writer& writer, const Node& node) {
          auto by = static_cast<float>(node.attr<double>());
          graph::write_custom_call(writer, node,
                                   {.target = AddInPlace::kName, .attributes = {{"by", by}}});
        },
    .vjp = graph::kNoGradient,
    .handler = &kAddInPlaceKernel,
    .reference = [](const Node& node,
                    std::span<const Value> in) { return std::vector{in[0] + node.attr<double>()}; },
    .axes =
        [](const Node&) {
          return graph::KernelAxes{.operands = {"rows cols"}, .results = {"rows cols"}};
        },
    .aliases = [](const Node&) { return std::vector<graph::OutputAlias>{{}}; }};

Value center_rows(Value x, Value scale, Value bias) {
  return graph::emit(kCenterRows, {x, scale, bias}, {});
}

Value plain_center_rows(Value x, Value scale, Value bias) {
  return centered(x) * scale + bias;
}

Value add_in_place(Value x, double by) {
  return graph::emit(kAddInPlace, {x}, by, {});
}

}  // namespace meshwright::spmd
