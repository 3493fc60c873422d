// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/custom_call.h"

#include <algorithm>
#include <functional>
#include <set>

#include "meshwright/graph/core/literal.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

void check_aliases(const Node& node, const CustomCallOptions& options) {
  std::set<int> results, operands;
  for (auto [result, operand] : options.aliases) {
    if (result < 0 || result >= std::ssize(options.results) || operand < 0 ||
        operand >= node.num_operands()) {
      reject(node, "result ", result, " cannot alias operand ", operand, ": there are ",
             options.results.size(), " results and ", node.num_operands(), " operands");
    }
    if (!results.insert(result).second || !operands.insert(operand).second) {
      reject(node, "result ", result, " or operand ", operand, " appears in two aliases");
    }
    const ArrayType& type = options.results[static_cast<std::size_t>(result)];
    if (!(type == node.in(operand))) {
      reject(node, "result ", result, ", ", type, ", cannot alias operand ", operand, ", ",
             node.in(operand));
    }
  }
}

std::vector<Type> infer_custom_call(const Node& node) {
  const auto& [target, options] = node.attr<CustomCallAttrs>();
  if (target.empty()) reject(node, "the name of the target is empty");
  check_aliases(node, options);
  std::vector<Type> types;
  for (const ArrayType& type : options.results) {
    num_elements(type.dims);
    types.emplace_back(type.dtype, type.dims);
  }
  return types;
}

std::string attribute_text(const CallAttribute& attribute) {
  struct Text {
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(std::int32_t x) const { return str(x, " : i32"); }
    std::string operator()(std::int64_t x) const { return str(x, " : i64"); }
    std::string operator()(float x) const { return literal(double{x}, f32) + " : f32"; }
    std::string operator()(double x) const { return literal(x, f64) + " : f64"; }
    std::string operator()(const std::string& x) const { return mlir_string(x); }
    std::string operator()(const std::vector<std::int64_t>& x) const { return mlir_array(x); }
    std::string operator()(const std::vector<double>& all) const {
      std::string out;
      for (double x : all)
        out += (out.empty() ? "" : ", ") + literal(x, f64);
      return out.empty() ? "array<f64>" : str("array<f64: ", out, ">");
    }
  };
  return std::visit(Text(), attribute);
}

// Takes dimensions from the fastest to the slowest.
std::string layout_text(const Dims& order) {
  std::string numbers = order.empty() ? "" : str("[", join(order, ", "), "]");
  return str("dense<", numbers, "> : tensor<", order.size(), "xindex>");
}

// Returns the row-major layout.
std::string layout_text(const ArrayType& type) {
  Dims order;
  for (std::int64_t d = type.rank(); d-- > 0;)
    order.push_back(d);
  return layout_text(order);
}

template <typename Items, typename Text>
std::string comma_separated(const Items& items, const Text& text) {
  std::string out;
  for (const auto& item : items)
    out += (out.empty() ? "" : ", ") + text(item);
  return out;
}

std::string operand_layouts(std::span<const TextValue> operands) {
  return comma_separated(operands,
                         [](const TextValue& operand) { return layout_text(operand.type); });
}

void write_library_call(Writer& writer, const Node& node) {
  const auto& [target, options] = node.attr<CustomCallAttrs>();
  const std::vector<TextValue> operands = writer.text_values(node.operands);
  const std::string results = comma_separated(options.library->result_layouts,
                                              [](const Dims& order) { return layout_text(order); });
  writer.op(node, "stablehlo.custom_call",
            str("call_target_name = ", mlir_string(target),
                ", api_version = 2 : i32, has_side_effect = ", options.has_side_effect,
                ", backend_config = ", mlir_string(options.library->backend_config),
                ", operand_layouts = [", operand_layouts(operands), "], result_layouts = [",
                results, "]"));
}

std::string alias_text(const OutputAlias& alias, int num_results) {
  // A single result is not wrapped in a tuple.
  std::string path = num_results == 1 ? "" : str(alias.result);
  return str("#stablehlo.output_operand_alias<output_tuple_indices = [", path,
             "], operand_index = ", alias.operand, ", operand_tuple_indices = []>");
}

void write_call(Writer& writer, const Node& node) {
  const auto& [target, options] = node.attr<CustomCallAttrs>();
  if (options.library) return write_library_call(writer, node);
  write_custom_call(writer, node,
                    {target, options.attributes, options.aliases, options.has_side_effect});
}

void for_each_live_node(const Region& region, const std::function<void(const Node&)>& action) {
  for (const Node* node : live_nodes(region)) {
    action(*node);
    for (const Region* inner : node->regions)
      for_each_live_node(*inner, action);
  }
}

}  // namespace

const OpDef kCustomCall{
    .name = "custom_call", .infer = infer_custom_call, .write = write_call, .vjp = kNoGradient};
const OpDef kEffectfulCustomCall{.name = "effectful_custom_call",
                                 .infer = infer_custom_call,
                                 .write = write_call,
                                 .vjp = kNoGradient,
                                 .has_side_effect = true};

std::vector<Value> custom_call(std::string target,
                               std::vector<Value> operands,
                               CustomCallOptions options,
                               SourceLoc loc) {
  const OpDef& op = options.has_side_effect ? kEffectfulCustomCall : kCustomCall;
  return emit_all(op, std::move(operands), CustomCallAttrs{std::move(target), std::move(options)},
                  {}, loc);
}

void write_custom_call(Writer& writer, const Node& node, const CallText& call) {
  std::vector<OutputAlias> memory = call.aliases;
  if (node.op->aliases != nullptr) memory = node.op->aliases(node);
  std::string attributes = comma_separated(call.attributes, [](const auto& entry) {
    return str(mlir_string(entry.first), " = ", attribute_text(entry.second));
  });
  std::vector<ArrayType> scratch;
  if (call.scratch_floats > 0) scratch.push_back({f32, {call.scratch_floats}});
  const int num_results = node.num_results() + static_cast<int>(scratch.size());
  std::string aliases = comma_separated(
      memory, [&](const OutputAlias& alias) { return alias_text(alias, num_results); });
  const std::vector<TextValue> operands =
      call.operands.empty() ? writer.text_values(node.operands) : call.operands;
  std::vector<ArrayType> results(node.types.begin(), node.types.end());
  results.insert(results.end(), scratch.begin(), scratch.end());
  std::string result_layouts =
      comma_separated(results, [](const ArrayType& type) { return layout_text(type); });
  writer.op_on(
      node, "stablehlo.custom_call", operands,
      str("call_target_name = ", mlir_string(call.target),
          ", api_version = 4 : i32, has_side_effect = ", call.has_side_effect,
          ", backend_config = {", attributes, "}, operand_layouts = [", operand_layouts(operands),
          "], result_layouts = [", result_layouts, "], output_operand_aliases = [", aliases, "]"),
      scratch);
}

std::vector<std::string_view> custom_call_targets(const Program& program) {
  std::set<std::string_view> targets;
  for_each_live_node(*program.main, [&](const Node& node) {
    if (node.op == &kCustomCall || node.op == &kEffectfulCustomCall) {
      targets.insert(node.attr<CustomCallAttrs>().target);
    }
  });
  return {targets.begin(), targets.end()};
}

std::vector<const pjrt::Kernel*> kernel_handlers(const Program& program) {
  std::vector<const pjrt::Kernel*> handlers;
  for_each_live_node(*program.main, [&](const Node& node) {
    const pjrt::Kernel* handler = node.op->handler;
    if (handler != nullptr && std::ranges::find(handlers, handler) == handlers.end()) {
      handlers.push_back(handler);
    }
  });
  return handlers;
}

}  // namespace meshwright::graph
