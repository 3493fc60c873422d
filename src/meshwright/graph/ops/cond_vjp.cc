// SPDX-License-Identifier: Apache-2.0
// The gradient of a conditional is a conditional over the gradients of its branches. The forward
// node returns, after its results, the values that the branch taken keeps for the backward pass.
// Each kept value has a place among these; branches share places and fill unused ones with zeros.
#include <algorithm>
#include <any>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/cond_rules.h"
#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::graph {
namespace {

using Values = std::vector<Value>;

// Where the backward pass finds a kept value: as an operand or a result of the forward node, whose
// results include the shared places. A value that does not vary over the mesh axes of the selector
// depends on no operand. As a result of the conditional it would vary, so it is recomputed.
struct Source {
  enum class Kind { operand, result, recomputed };
  Kind kind = Kind::operand;
  int number = 0;
};

struct BranchSplit {
  RegionVjp parts;
  std::vector<Source> kept;
};

struct ChoiceSplit {
  RegionVjpOptions options;  // the same for all branches
  std::vector<BranchSplit> branches;
};

// Returns the arguments and results through which gradients flow in at least one branch.
RegionVjpOptions branch_options(VjpContext& c) {
  const Node& node = c.node();
  std::vector<bool> wanted, given;
  for (int i = 1; i < node.num_operands(); ++i)
    wanted.push_back(c.needs(i));
  for (int r = 0; r < node.num_results(); ++r)
    given.push_back(c.has_cotangent(r));
  RegionVjpOptions options{.wrt = std::vector<bool>(wanted.size()),
                           .with_cotangent = std::vector<bool>(given.size())};
  for (const Region* branch : node.regions) {
    GradientFlow flow = c.flow(*branch, wanted, given);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      options.wrt[i] = options.wrt[i] || flow.args[i];
    for (std::size_t r = 0; r < given.size(); ++r)
      options.with_cotangent[r] = options.with_cotangent[r] || (given[r] && flow.results[r]);
  }
  return options;
}

// Assigns places to the values that branches keep. Branches share places of the same type.
class Places {
 public:
  Places(int num_results, mesh::AxisSet differing)
      : num_results_(num_results), differing_(differing) {}

  std::vector<Source> add_branch(const RegionVjp& parts) {
    const Values& all = parts.forward->results;
    std::vector<bool> used(types_.size(), false);
    std::vector<Source> out;
    for (std::size_t i = 0; i < parts.kept_argument.size(); ++i) {
      const Value& kept = all[static_cast<std::size_t>(num_results_) + i];
      if (parts.kept_argument[i] >= 0) {
        out.push_back({Source::Kind::operand, parts.kept_argument[i] + 1});
        continue;
      }
      if (!kept.type().varying.contains(differing_)) {
        out.push_back({Source::Kind::recomputed, num_results_ + static_cast<int>(i)});
        continue;
      }
      auto results_end = all.begin() + num_results_;
      auto found = std::find(all.begin(), results_end, kept);
      auto number = static_cast<int>(found - all.begin());
      if (found == results_end) number = num_results_ + take(kept.type(), used);
      out.push_back({Source::Kind::result, number});
    }
    return out;
  }

  const std::vector<Type>& types() const { return types_; }

 private:
  int take(const Type& type, std::vector<bool>& used) {
    std::size_t place = 0;
    while (place < types_.size() && (used[place] || types_[place] != type))
      ++place;
    if (place == types_.size()) {
      types_.push_back(type);
      used.push_back(false);
    }
    used[place] = true;
    return static_cast<int>(place);
  }

  int num_results_;
  mesh::AxisSet differing_;
  std::vector<Type> types_;
};

std::vector<Type> argument_types(const Region& region) {
  std::vector<Type> types;
  for (const Node* arg : region.args)
    types.push_back(arg->out());
  return types;
}

// Traces a forward branch that also returns the places: its kept values, and zeros in unused ones.
Region& forward_branch(const BranchSplit& split, int num_results, const std::vector<Type>& places) {
  const Region& forward = *split.parts.forward;
  return Tracer::current().trace_region(argument_types(forward), [&](std::span<const Value> args) {
    Values all = inline_region(forward, args);
    Values out(all.begin(), all.begin() + num_results);
    out.resize(out.size() + places.size());
    for (std::size_t i = 0; i < split.kept.size(); ++i) {
      const auto& [kind, number] = split.kept[i];
      if (kind != Source::Kind::result || number < num_results) continue;
      out[static_cast<std::size_t>(number)] = all[static_cast<std::size_t>(num_results) + i];
    }
    for (std::size_t p = 0; p < places.size(); ++p) {
      Value& value = out[static_cast<std::size_t>(num_results) + p];
      if (value.is_null()) value = zeros(places[p]);
    }
    return out;
  });
}

Value recomputed(const Region& forward, int number) {
  const Value& value = forward.results[static_cast<std::size_t>(number)];
  for (const Node* node : nodes_for(forward, std::span(&value, 1))) {
    for (const Value& operand : node->operands) {
      MW_CHECK(operand.node()->op != &kArgument,
               "a branch has a collective over mesh axes along which ",
               "devices take different branches; move it out of the branch");
    }
  }
  Values no_args(static_cast<std::size_t>(forward.num_args()));
  return inline_values(forward, no_args, std::span(&value, 1))[0];
}

// The inputs of all backward branches: each kept value that any of them uses, once, then the
// cotangents.
class BackwardInputs {
 public:
  BackwardInputs(VjpContext& c, const ChoiceSplit& split) : c_(c) {
    for (const BranchSplit& branch : split.branches) {
      for (const Source& source : branch.kept)
        add(source);
    }
    num_kept_ = values_.size();
    for (int r = 0; r < c.node().num_results(); ++r) {
      if (split.options.with_cotangent[static_cast<std::size_t>(r)]) {
        values_.push_back(c.cotangent(r));
      }
    }
  }

  const Values& values() const { return values_; }

  // Selects the inputs of one branch's backward region from the arguments of the backward branch.
  Values of_branch(const BranchSplit& branch, std::span<const Value> args) const {
    Values out;
    for (const auto& [kind, number] : branch.kept) {
      if (kind == Source::Kind::recomputed) {
        out.push_back(recomputed(*branch.parts.forward, number));
      } else {
        out.push_back(args[positions(kind)[static_cast<std::size_t>(number)]]);
      }
    }
    std::span<const Value> cotangents = args.subspan(num_kept_);
    out.insert(out.end(), cotangents.begin(), cotangents.end());
    return out;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const std::vector<std::size_t>& positions(Source::Kind kind) const {
    return kind == Source::Kind::operand ? operands_ : results_;
  }

  void add(const Source& source) {
    if (source.kind == Source::Kind::recomputed) return;
    bool is_operand = source.kind == Source::Kind::operand;
    std::vector<std::size_t>& known = is_operand ? operands_ : results_;
    auto number = static_cast<std::size_t>(source.number);
    if (number >= known.size()) known.resize(number + 1, kNone);
    if (known[number] != kNone) return;
    known[number] = values_.size();
    values_.push_back(is_operand ? c_.operand(source.number) : result(source.number));
  }

  Value result(int number) const {
    int num_results = c_.node().num_results();
    if (number < num_results) return c_.result(number);
    return c_.kept()[static_cast<std::size_t>(number - num_results)];
  }

  VjpContext& c_;
  Values values_;
  std::size_t num_kept_ = 0;
  std::vector<std::size_t> operands_;  // by operand number: the position in values_
  std::vector<std::size_t> results_;   // by result number: likewise
};

}  // namespace

std::vector<Value> augment_branches(VjpContext& c) {
  const Node& node = c.node();
  ChoiceSplit split{.options = branch_options(c), .branches = {}};
  Places places(node.num_results(), node.in(0).varying);
  for (const Region* branch : node.regions) {
    RegionVjp parts = c.differentiate(*branch, split.options);
    split.branches.push_back({parts, places.add_branch(parts)});
  }
  std::vector<Region*> regions;
  for (const BranchSplit& branch : split.branches)
    regions.push_back(&forward_branch(branch, node.num_results(), places.types()));
  Values operands;
  for (int i = 0; i < node.num_operands(); ++i)
    operands.push_back(c.operand(i));
  c.state() = std::move(split);
  return emit_all(*node.op, std::move(operands), {}, std::move(regions), node.loc);
}

void branches_vjp(VjpContext& c) {
  const Node& node = c.node();
  const auto& split = std::any_cast<const ChoiceSplit&>(c.state());
  BackwardInputs inputs(c, split);
  std::vector<Region*> regions;
  for (const BranchSplit& branch : split.branches) {
    auto body = [&](std::span<const Value> args) {
      return inline_region(*branch.parts.backward, inputs.of_branch(branch, args));
    };
    regions.push_back(&Tracer::current().trace_region(types_of(inputs.values()), body));
  }
  Values operands = {c.operand(0)};
  operands.insert(operands.end(), inputs.values().begin(), inputs.values().end());
  Values gradients = emit_all(*node.op, std::move(operands), {}, std::move(regions), node.loc);
  std::size_t next = 0;
  for (int i = 1; i < node.num_operands(); ++i) {
    if (split.options.wrt[static_cast<std::size_t>(i - 1)]) c.add(i, gradients[next++]);
  }
}

}  // namespace meshwright::graph
