// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/partition.h"

#include "meshwright/graph/core/effects.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

using graph::Node;
using graph::Region;
using graph::RegionVjp;
using graph::RegionVjpOptions;
using graph::Tracer;
using graph::Value;
using graph::ValueTable;

namespace {

// True if the op changes only the order, shape or dtype of the elements.
bool is_view(const Node& node) {
  return node.op == &graph::kReshape || node.op == &graph::kTranspose ||
         node.op == &graph::kConvert;
}

class Partition {
 public:
  Partition(Region& forward, Region& backward, const RegionVjpOptions& options)
      : forward_(forward),
        backward_(backward),
        options_(options),
        may_keep_(forward),
        goes_to_host_(forward),
        needed_(forward),
        kept_(forward) {}

  RegionVjp run() {
    find_what_may_be_kept();
    mark_needed_captures();
    choose();
    return build();
  }

 private:
  // Finds the values that may be kept, and where. Instead of the result of `save` or of a cheap op
  // with one operand, its operand is kept.
  void find_what_may_be_kept() {
    const auto& [may_keep, goes_to_host, barrier] = options_.policy;
    for (std::size_t i = forward_.nodes.size(); i-- > 0;) {
      Node& node = *forward_.nodes[i];
      bool passes_on = node.op == &graph::kSave || (node.op->cheap && node.num_operands() == 1);
      for (int r = 0; r < node.num_results(); ++r) {
        char& keep = may_keep_[node.result(r)];
        if (!may_keep || graph::has_side_effect(node) || may_keep(node, r)) keep = 1;
        char& to_host = goes_to_host_[node.result(r)];
        if (goes_to_host && goes_to_host(node, r)) to_host = 1;
        if (keep != 0 && passes_on) may_keep_[node.operands[0]] = 1;
        if (to_host != 0 && passes_on) goes_to_host_[node.operands[0]] = 1;
      }
    }
    // Either a value or a view of it is kept.
    for (Node* node : forward_.nodes)
      if (is_view(*node) && goes_to_host_[node->operands[0]] != 0)
        goes_to_host_[node->result()] = 1;
  }

  void mark_needed_captures() {
    ValueTable<char> used(backward_);
    for (const Node* node : graph::live_nodes(backward_)) {
      for (const Value& operand : node->operands)
        used[operand] = 1;
    }
    for (const Value& result : backward_.results)
      used[result] = 1;
    for (int i = backward_.num_own_args(); i < backward_.num_args(); ++i) {
      if (used[backward_.arg(i)] != 0) needed_[capture(i)] = 1;
    }
  }

  const Value& capture(int arg) const {
    return backward_.captures[static_cast<std::size_t>(arg - backward_.num_own_args())];
  }

  // Visits nodes from last to first, so that all users of a node have been decided before it.
  void choose() {
    for (std::size_t i = forward_.nodes.size(); i-- > 0;) {
      Node& node = *forward_.nodes[i];
      bool recompute = false;
      for (int r = 0; r < node.num_results(); ++r) {
        Value value = node.result(r);
        if (needed_[value] == 0) continue;
        if (is_kept(node, value)) {
          kept_[value] = 1;
        } else {
          recompute = true;
        }
      }
      if (!recompute) continue;
      recomputed_.push_back(&node);
      for (const Value& operand : node.operands)
        needed_[operand] = 1;
    }
    std::ranges::reverse(recomputed_);
  }

  bool is_kept(const Node& node, const Value& value) const {
    if (graph::has_side_effect(node)) return true;
    if (node.op->cheap || node.op == &graph::kSave || may_keep_[value] == 0) return false;
    return !(is_view(node) && is_better_kept(node.operands[0], value));
  }

  bool is_better_kept(const Value& operand, const Value& view) const {
    if (needed_[operand] != 0) return true;
    if (operand.node()->op == &graph::kArgument && !is_costly(operand)) return true;
    return may_keep_[operand] != 0 && operand.type().num_bytes() <= view.type().num_bytes();
  }

  bool is_costly(const Value& arg) const {
    return !options_.costly.empty() &&
           options_.costly[static_cast<std::size_t>(arg.node()->attr<int>())];
  }

  RegionVjp build() {
    RegionVjp out{.forward = &forward_};
    std::vector<Value> kept;
    for (int i = 0; i < forward_.num_args(); ++i) {
      if (needed_[forward_.arg(i)] == 0) continue;
      kept.push_back(forward_.arg(i));
      out.kept_argument.push_back(i);
    }
    for (Node* node : forward_.nodes) {
      for (int r = 0; r < node->num_results(); ++r) {
        if (kept_[node->result(r)] == 0) continue;
        kept.push_back(node->result(r));
        out.kept_argument.push_back(-1);
      }
    }
    out.backward = &build_backward(kept);
    forward_.results.insert(forward_.results.end(), kept.begin(), kept.end());
    if (std::ranges::any_of(kept, [&](const Value& each) { return waits_on_host(each); }))
      out.forward = &with_moves_to_host(kept);
    return out;
  }

  // Arguments stay where they are.
  bool waits_on_host(const Value& kept) const {
    return goes_to_host_[kept] != 0 && kept.node()->op != &graph::kArgument;
  }

  Region& with_moves_to_host(const std::vector<Value>& kept) const {
    std::vector<graph::Type> types;
    for (int i = 0; i < forward_.num_args(); ++i)
      types.push_back(forward_.arg(i).type());
    return Tracer::current().trace_region(types, [&](std::span<const Value> args) {
      std::vector<Value> results = graph::inline_region(forward_, {args.begin(), args.end()});
      const std::size_t first = results.size() - kept.size();
      for (std::size_t i = 0; i < kept.size(); ++i)
        if (waits_on_host(kept[i])) results[first + i] = graph::to_host(results[first + i]);
      return results;
    });
  }

  Region& build_backward(const std::vector<Value>& kept) {
    std::vector<graph::Type> types = graph::types_of(kept);
    for (int i = 0; i < backward_.num_own_args(); ++i)
      types.push_back(backward_.arg(i).type());
    return Tracer::current().trace_region(types, [&](std::span<const Value> args) {
      std::vector<Value> inputs(args.begin(), args.end());
      for (std::size_t i = 0; i < kept.size(); ++i)
        if (waits_on_host(kept[i])) inputs[i] = graph::to_device(inputs[i]);
      if (options_.policy.barrier && recomputes_work()) {
        inputs = graph::optimization_barrier(std::move(inputs));
      }
      ValueTable<Value> at_hand(forward_);
      for (std::size_t i = 0; i < kept.size(); ++i)
        at_hand[kept[i]] = inputs[i];
      recompute(at_hand);
      std::vector<Value> actual(inputs.begin() + std::ssize(kept), inputs.end());
      for (int i = backward_.num_own_args(); i < backward_.num_args(); ++i)
        actual.push_back(at_hand[capture(i)]);
      return graph::inline_region(backward_, actual);
    });
  }

  bool recomputes_work() const {
    return std::ranges::any_of(recomputed_, [](const Node* node) {
      return !node->op->cheap && node->op != &graph::kSave && !is_view(*node);
    });
  }

  void recompute(ValueTable<Value>& at_hand) const {
    for (Node* node : recomputed_) {
      if (node->op == &graph::kSave) {
        at_hand[node->result()] = at_hand[node->operands[0]];
        continue;
      }
      std::vector<Value> operands;
      for (const Value& operand : node->operands)
        operands.push_back(at_hand[operand]);
      Node& copy = Tracer::current().append_copy(*node, std::move(operands));
      for (int r = 0; r < node->num_results(); ++r) {
        Value& value = at_hand[node->result(r)];
        if (value.is_null()) value = copy.result(r);
      }
    }
  }

  Region& forward_;
  Region& backward_;
  const RegionVjpOptions& options_;
  ValueTable<char> may_keep_;
  ValueTable<char> goes_to_host_;
  ValueTable<char> needed_;
  ValueTable<char> kept_;
  std::vector<Node*> recomputed_;
};

}  // namespace

RegionVjp partition(Region& forward, Region& backward, const RegionVjpOptions& options) {
  return Partition(forward, backward, options).run();
}

}  // namespace meshwright::autodiff
