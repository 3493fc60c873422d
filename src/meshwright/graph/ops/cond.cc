// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/cond.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cond_rules.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/declared_sharding.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/waiting.h"

namespace meshwright::graph {
namespace {

using Values = std::vector<Value>;

std::string branch_name(const OpDef& op, std::size_t branch) {
  if (&op == &kCond) return branch == 0 ? "if_true" : "if_false";
  return str("branch ", branch);
}

std::vector<Type> infer_branches(const Node& node) {
  const ArrayType wanted{node.op == &kCond ? pred : s32, {}};
  if (node.in(0).array() != wanted) {
    reject(node, "the ", node.op == &kCond ? "predicate" : "index", " is ", node.in(0).array(),
           ", not ", wanted);
  }
  std::vector<Type> types = types_of(node.regions[0]->results);
  for (std::size_t b = 0; b < node.regions.size(); ++b)
    reject_if_waiting(node, *node.regions[b], branch_name(*node.op, b), node.in(0).varying);
  for (const Region* branch : node.regions) {
    if (branch->num_args() != node.num_operands() - 1 || types_of(branch->results) != types) {
      reject(node, "the branches differ in the types of their arguments or results");
    }
    for (int i = 0; i < branch->num_args(); ++i) {
      if (branch->arg(i).type() != node.in(i + 1)) {
        reject(node, "operand ", i, " is ", node.in(i + 1).array(), " but a branch expects ",
               branch->arg(i).type().array());
      }
    }
  }
  return types;
}

std::vector<mesh::AxisSet> branches_varying(const Node& node) {
  std::vector<mesh::AxisSet> varying;
  for (const Value& result : node.regions[0]->results)
    varying.push_back(result.type().varying | node.in(0).varying);
  return varying;
}

void write_branches(Writer& writer, const Node& node) {
  std::vector<std::string> names = writer.names(node.operands);
  std::vector<std::string> regions;
  for (const Region* branch : node.regions)
    regions.push_back(writer.body_bound(*branch, "stablehlo.return", std::span(names).subspan(1)));
  TextValue selector = writer.text_value(node.operands[0]);
  std::vector<ArrayType> types(node.types.begin(), node.types.end());
  std::vector<TextValue> results =
      writer.write_op(node.op == &kCond ? "stablehlo.if" : "stablehlo.case",
                      std::span(&selector, 1), "", regions, types, writer.location(node));
  for (int i = 0; i < node.num_results(); ++i)
    writer.set_result_name(node, i, results[static_cast<std::size_t>(i)].name);
}

// Traces the branches and gives them the same arguments and the same types of results.
class Branches {
 public:
  Branches(const OpDef& op,
           Value selector,
           const std::vector<Tracer::Body>& bodies,
           std::span<const Value> operands,
           SourceLoc loc)
      : op_(op), selector_(selector), bodies_(bodies), loc_(loc) {
    for (const Value& operand : operands)
      args_.push_back(vary(operand, differing(), loc));
    num_operands_ = args_.size();
  }

  Values emit() {
    trace();
    check_results();
    Values captures = united_captures(regions_);
    widen_results();
    for (Region*& region : regions_)
      region = &with_captures(*region, captures);
    Values inputs = {selector_};
    inputs.insert(inputs.end(), args_.begin(), args_.end());
    inputs.insert(inputs.end(), captures.begin(), captures.end());
    return emit_all(op_, std::move(inputs), {}, regions_, loc_);
  }

 private:
  // Returns the mesh axes along which devices may take different branches.
  mesh::AxisSet differing() const { return selector_.type().varying; }

  // Traces the branches until all outer values that they use vary over `differing`. One that does
  // not is varied before the conditional, where all devices take part in the reduction of its
  // gradient, and passed as a further argument.
  void trace() {
    std::size_t num_args = 0;
    do {
      num_args = args_.size();
      regions_.clear();
      for (const Tracer::Body& body : bodies_)
        regions_.push_back(&trace_branch(body));
      for (const Value& capture : united_captures(regions_)) {
        if (capture.type().varying.contains(differing())) continue;
        outside_.push_back(capture);
        args_.push_back(vary(capture, differing(), loc_));
      }
    } while (args_.size() != num_args);
  }

  Region& trace_branch(const Tracer::Body& body) const {
    Tracer& tracer = Tracer::current();
    Tracer::Body with_outside = [&](std::span<const Value> args) {
      for (std::size_t i = 0; i < outside_.size(); ++i)
        tracer.region().imported.emplace(outside_[i], args[num_operands_ + i]);
      return body(args.first(num_operands_));
    };
    return tracer.trace_region(types_of(args_), with_sources(args_, with_outside));
  }

  void check_results() const {
    const Values& first = regions_[0]->results;
    for (std::size_t b = 1; b < regions_.size(); ++b) {
      const Values& results = regions_[b]->results;
      MW_CHECK(results.size() == first.size(), op_.name, ": ", branch_name(op_, b), " returns ",
               results.size(), " results but ", branch_name(op_, 0), " returns ", first.size(),
               origin(loc_));
      for (std::size_t r = 0; r < first.size(); ++r) {
        MW_CHECK(results[r].type().array() == first[r].type().array(), op_.name, ": result ", r,
                 " of ", branch_name(op_, b), " is ", results[r], " but that of ",
                 branch_name(op_, 0), " is ", first[r], origin(loc_));
      }
    }
  }

  // Makes each result vary over the same mesh axes in all branches: those of any branch and
  // `differing`. The `vary` may be inside a branch because along all other axes the devices take
  // the same branch.
  void widen_results() {
    std::vector<mesh::AxisSet> varying(regions_[0]->results.size(), differing());
    for (const Region* region : regions_) {
      for (std::size_t r = 0; r < varying.size(); ++r)
        varying[r] = varying[r] | region->results[r].type().varying;
    }
    for (Region*& region : regions_) {
      bool wide = true;
      for (std::size_t r = 0; r < varying.size(); ++r)
        wide = wide && region->results[r].type().varying == varying[r];
      if (!wide) region = &widened(*region, varying);
    }
  }

  Region& widened(const Region& region, const std::vector<mesh::AxisSet>& varying) const {
    auto widen = [&](std::span<const Value> args) {
      Values inputs(args.begin(), args.end());
      inputs.insert(inputs.end(), region.captures.begin(), region.captures.end());
      Values results = inline_region(region, inputs);
      for (std::size_t r = 0; r < varying.size(); ++r)
        results[r] = vary(results[r], varying[r], loc_);
      return results;
    };
    return Tracer::current().trace_region(types_of(args_), widen);
  }

  const OpDef& op_;
  Value selector_;
  const std::vector<Tracer::Body>& bodies_;
  SourceLoc loc_;
  std::size_t num_operands_ = 0;
  Values outside_;  // outer values passed as arguments after the operands
  Values args_;     // the arguments of each branch, without captures
  std::vector<Region*> regions_;
};

}  // namespace

const OpDef kCond{.name = "cond",
                  .infer = infer_branches,
                  .write = write_branches,
                  .vjp = branches_vjp,
                  .augment = augment_branches,
                  .varying = branches_varying};
const OpDef kSwitchCase{.name = "switch_case",
                        .infer = infer_branches,
                        .write = write_branches,
                        .vjp = branches_vjp,
                        .augment = augment_branches,
                        .varying = branches_varying};

std::vector<Value> cond(Value predicate,
                        const Tracer::Body& if_true,
                        const Tracer::Body& if_false,
                        std::span<const Value> operands,
                        SourceLoc loc) {
  return Branches(kCond, predicate, {if_true, if_false}, operands, loc).emit();
}

std::vector<Value> switch_case(Value index,
                               const std::vector<Tracer::Body>& branches,
                               std::span<const Value> operands,
                               SourceLoc loc) {
  MW_CHECK(!branches.empty(), "switch_case: no branches", origin(loc));
  MW_CHECK(is_integer(index.dtype()) && index.rank() == 0, "switch_case: the index is ", index,
           ", not an integer scalar", origin(loc));
  CallScope call(loc);
  if (byte_size(index.dtype()) < byte_size(s32)) index = cast(index, s32);
  Value clamped = cast(clamp(0, index, std::ssize(branches) - 1), s32);
  return Branches(kSwitchCase, clamped, branches, operands, loc).emit();
}

}  // namespace meshwright::graph
