// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/placement/kernel_placement.h"

#include <algorithm>
#include <optional>
#include <set>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

bool is_kernel(const Node& node) {
  return node.op->axes != nullptr && (node.op->handler != nullptr || node.op->reference != nullptr);
}

bool has_kernels(const Region& region) {
  return std::ranges::any_of(region.nodes, [](const Node* node) {
    return is_kernel(*node) || std::ranges::any_of(node->regions, [](const Region* inner) {
             return has_kernels(*inner);
           });
  });
}

ValueTable<int> count_uses(const Region& region) {
  ValueTable<int> uses(region);
  for (const Node* node : live_nodes(region))
    for (const Value& operand : node->operands)
      ++uses[operand];
  for (const Value& result : region.results)
    ++uses[result];
  return uses;
}

std::vector<Value> results_of(Node& node) {
  std::vector<Value> out;
  for (int i = 0; i < node.num_results(); ++i)
    out.push_back(node.result(i));
  return out;
}

std::vector<std::string> names_of(const mesh::Mesh& mesh, mesh::AxisSet axes) {
  std::vector<std::string> names;
  for (int axis : mesh::positions(axes))
    names.push_back(mesh.axes()[static_cast<std::size_t>(axis)].name);
  return names;
}

class Placement {
 public:
  Placement(const Program& program, std::string_view platform, bool wants_kernels)
      : program_(program),
        target_{.platform = std::string(platform),
                .wants_kernels = wants_kernels,
                .compute_capability = program.compute_capability},
        tracer_(program, program.activations) {}

  Program run() {
    std::vector<Value> args;
    for (std::size_t i = 0; i < program_.main->args.size(); ++i)
      args.push_back(
          tracer_.argument(program_.main->args[i]->out().array(), program_.arguments[i]));
    std::vector<Value> results = inline_placed(*program_.main, args);
    Program placed = tracer_.finish(std::move(results), program_.results);
    placed.warnings = program_.warnings;
    placed.warnings.insert(placed.warnings.end(), warnings_.begin(), warnings_.end());
    return placed;
  }

 private:
  std::vector<Value> inline_placed(const Region& region, std::span<const Value> args) {
    const ValueTable<int> uses = count_uses(region);
    return inline_region(region, args, [&](Node& node, std::vector<Value> operands) {
      if (is_kernel(node)) return place(node, std::move(operands));
      if (node.op == &kAdd) {
        if (Value sum = sum_in_kernel(node, operands, uses); !sum.is_null())
          return std::vector{sum};
      }
      return results_of(copy(node, std::move(operands)));
    });
  }

  // Fuses a sum into the kernel that computes one of its operands, if that result has no other use;
  // the original call is then dead. Prefers the later operand, which allows longer chains of sums.
  Value sum_in_kernel(const Node& node,
                      std::span<const Value> operands,
                      const ValueTable<int>& uses) {
    for (std::size_t i : {std::size_t{1}, std::size_t{0}}) {
      const Node &original = *node.operands[i].node(), &kernel = *operands[i].node();
      if (original.op->plus == nullptr || kernel.op != original.op) continue;
      // A broadcast addend would have to be materialised for the call.
      const OpDef* added = operands[1 - i].node()->op;
      if (uses[node.operands[i]] > 1 || added == &kBroadcastInDim || added == &kConstant) continue;
      OriginScope scope(original);
      if (Value sum = kernel.op->plus(kernel, operands[1 - i]); !sum.is_null()) return sum;
    }
    return {};
  }

  Node& copy(Node& node, std::vector<Value> operands) {
    std::vector<Region*> regions;
    {
      std::optional<ManualScope> manual;
      if (node.op == &kManual) manual.emplace(node.attr<ManualAttrs>().axes);
      for (Region* region : node.regions)
        regions.push_back(has_kernels(*region) ? &placed(*region) : region);
    }
    Node& copied = tracer_.append_copy(node, std::move(operands));
    copied.regions = std::move(regions);
    return copied;
  }

  Region& placed(const Region& region) {
    std::vector<Type> types;
    for (const Node* arg : region.args)
      types.push_back(arg->out());
    return tracer_.trace_region(
        types, [&](std::span<const Value> args) { return inline_placed(region, args); });
  }

  // Decides with the operands of the placed program, whose shardings are known.
  KernelDecision decide(const Node& node, const std::vector<Value>& operands) const {
    const Node placed{.op = node.op,
                      .operands = operands,
                      .attrs = node.attrs,
                      .regions = {},
                      .types = node.types,
                      .loc = node.loc};
    return decide_kernel(placed, {.program = target_,
                                  .mesh = tracer_.mesh(),
                                  .manual_axes = tracer_.manual_axes(),
                                  .rules = &tracer_.activation_rules(),
                                  .arguments = program_.arguments});
  }

  std::vector<Value> place(Node& node, std::vector<Value> operands) {
    const KernelDecision decision = decide(node, operands);
    tracer_.record_kernel(*node.op, decision.is_kernel, decision.reason);
    if (!decision.is_kernel) {
      if (decision.has_split_obstacle) say_once(node, decision.reason);
      return inline_placed(reference_of(node, operands), operands);
    }
    return decision.split ? call_shards(node, operands, *decision.split) : call(node, operands);
  }

  // Emits the kernel or calls the library.
  std::vector<Value> call(const Node& node, const std::vector<Value>& operands) {
    OriginScope scope(node);
    if (target_.platform == "cuda") return node.op->cuda(node, operands);
    return emit_all(*node.op, operands, node.attrs, {}, node.loc);
  }

  std::vector<Value> call_shards(const Node& node,
                                 const std::vector<Value>& operands,
                                 const KernelSplit& split) {
    OriginScope scope(node);
    auto body = [&](std::span<const Value> shards) {
      std::vector<Value> results = call(node, {shards.begin(), shards.end()});
      for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = all_reduce_sum(results[i], split.summed[i], node.loc);
      return results;
    };
    const mesh::AxisSet axes = mesh::all_axes(tracer_.mesh()) - tracer_.manual_axes();
    return manual(operands, {split.operands, split.results}, body,
                  {.axes = names_of(tracer_.mesh(), axes)}, node.loc);
  }

  const Region& reference_of(const Node& node, const std::vector<Value>& operands) {
    if (node.op->reference == nullptr)
      fail(ErrorCode::unimplemented, node.op->name, ": its kernel cannot run here, and it has no ",
           "formula", origin(tracer_.graph(), node));
    return reference_body(node, operands);
  }

  void say_once(const Node& node, const std::string& reason) {
    if (said_.emplace(node.op, reason).second)
      warnings_.push_back(str("kernel ", node.op->name, ": replaced by its formula: ", reason,
                              origin(tracer_.graph(), node)));
  }

  const Program& program_;
  const ProgramTarget target_;
  Tracer tracer_;
  std::set<std::pair<const OpDef*, std::string>> said_;
  std::vector<std::string> warnings_;
};

}  // namespace

Program place_kernels(const Program& program, std::string_view platform, bool wants_kernels) {
  if (!has_kernels(*program.main)) return program;
  return Placement(program, platform, wants_kernels).run();
}

Region& reference_body(const Node& node, std::span<const Value> operands) {
  OriginScope scope(node);
  return Tracer::current().trace_region(types_of(operands), [&](std::span<const Value> args) {
    std::vector<Value> results = node.op->reference(node, args);
    bool fits = std::ssize(results) == node.num_results();
    for (int i = 0; fits && i < node.num_results(); ++i) {
      Value& result = results[static_cast<std::size_t>(i)];
      fits = result.type().array() == node.out(i) &&
             node.out(i).varying.contains(result.type().varying);
      if (fits) result = vary(result, node.out(i).varying, node.loc);
    }
    if (!fits)
      fail(ErrorCode::internal, node.op->name,
           ": the types of its reference differ from those of infer",
           origin(Tracer::current().graph(), node));
    return results;
  });
}

void reference_gradient(VjpContext& c) {
  const Node& node = c.node();
  if (node.op->reference == nullptr) return no_gradient(c);
  std::vector<Value> operands;
  RegionVjpOptions options;
  for (int i = 0; i < node.num_operands(); ++i) {
    operands.push_back(c.operand(i));
    options.wrt.push_back(c.needs(i));
  }
  for (int i = 0; i < node.num_results(); ++i)
    options.with_cotangent.push_back(c.has_cotangent(i));
  RegionVjp split = c.differentiate(reference_body(node, operands), options);
  std::vector<Value> ahead = inline_region(*split.forward, operands);
  std::vector<Value> inputs(ahead.begin() + node.num_results(), ahead.end());
  for (int i = 0; i < node.num_results(); ++i) {
    if (c.has_cotangent(i)) inputs.push_back(c.cotangent(i));
  }
  std::vector<Value> gradients = inline_region(*split.backward, inputs);
  std::size_t next = 0;
  for (int i = 0; i < node.num_operands(); ++i) {
    if (c.needs(i)) c.add(i, gradients[next++]);
  }
}

}  // namespace meshwright::graph
