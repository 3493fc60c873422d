// SPDX-License-Identifier: Apache-2.0
// The gradient of a scan is a scan in the opposite direction. The forward scan stacks the values of
// each step that the backward scan needs, except for slices of xs, outer values and values that are
// stacked already.
#include <any>

#include "meshwright/graph/core/effects.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/scan_rules.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using Values = std::vector<Value>;

struct ScanSplit {
  RegionVjpOptions options;  // for the body
  Region* backward = nullptr;
  std::vector<bool> kept_is_sliced;  // per kept value: false if it is the same in all steps
};

// Returns the arguments and results of the body through which gradients flow. Iterates to a
// fixpoint, because the carry of a step enters the next one.
RegionVjpOptions gradient_flow(VjpContext& c) {
  const auto num_carry = static_cast<std::size_t>(c.attr<ScanAttrs>().num_carry);
  const Region& body = *c.node().regions[0];
  RegionVjpOptions options;
  for (int i = 0; i < body.num_args(); ++i)
    options.wrt.push_back(c.needs(i));
  for (int r = 0; r < c.node().num_results(); ++r)
    options.with_cotangent.push_back(c.has_cotangent(r));
  GradientFlow flow;
  bool changed = true;
  while (changed) {
    changed = false;
    flow = c.flow(body, options.wrt, options.with_cotangent);
    for (std::size_t i = 0; i < num_carry; ++i) {
      if (flow.results[i] && !options.wrt[i]) options.wrt[i] = changed = true;
      if (flow.args[i] && !options.with_cotangent[i]) options.with_cotangent[i] = changed = true;
    }
  }
  for (std::size_t i = 0; i < num_carry; ++i)
    options.wrt[i] = options.with_cotangent[i] = options.wrt[i] && options.with_cotangent[i];
  for (std::size_t i = num_carry; i < options.wrt.size(); ++i)
    options.wrt[i] = options.wrt[i] && flow.args[i];
  for (std::size_t r = num_carry; r < options.with_cotangent.size(); ++r)
    options.with_cotangent[r] = options.with_cotangent[r] && flow.results[r];
  return options;
}

// Marks the values of a body that are the same in all steps.
ValueTable<char> invariant_values(const Region& body, int first_outside) {
  ValueTable<char> invariant(body);
  for (int i = first_outside; i < body.num_args(); ++i)
    invariant[body.arg(i)] = 1;
  for (Node* node : body.nodes) {
    bool all = !has_side_effect(*node);
    for (const Value& operand : node->operands)
      all = all && invariant[operand] != 0;
    for (int r = 0; all && r < node->num_results(); ++r)
      invariant[node->result(r)] = 1;
  }
  return invariant;
}

// Finds a source for each kept value: an operand or a result of the forward scan, a recomputation
// outside the loop, or a new stacked result, which it adds.
class KeptPlaces {
 public:
  KeptPlaces(VjpContext& c, const RegionVjp& parts)
      : c_(c),
        attrs_(c.attr<ScanAttrs>()),
        body_(*parts.forward),
        first_outside_(attrs_.num_carry + attrs_.num_xs),
        invariant_(invariant_values(body_, first_outside_)) {
    auto middle = body_.results.end() - std::ssize(parts.kept_argument);
    kept_.assign(middle, body_.results.end());
    body_.results.erase(middle, body_.results.end());
    for (std::size_t i = 0; i < kept_.size(); ++i)
      results_.push_back(place(kept_[i], parts.kept_argument[i]));
  }

  std::vector<bool> is_sliced() const {
    std::vector<bool> out;
    for (const Value& value : kept_)
      out.push_back(invariant_[value] == 0);
    return out;
  }

  // Returns the kept values, given the results of the forward scan.
  Values values(const Values& scan_results) const {
    Values out;
    Values inputs;
    for (int i = 0; i < c_.node().num_operands(); ++i)
      inputs.push_back(i < first_outside_ ? Value() : c_.operand(i));
    Values hoisted = inline_values(body_, inputs, hoisted_);
    std::size_t next = 0;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (results_[i] >= 0) {
        out.push_back(scan_results[static_cast<std::size_t>(results_[i])]);
      } else if (kept_[i].node()->op == &kArgument) {
        out.push_back(c_.operand(kept_[i].node()->attr<int>()));
      } else {
        out.push_back(hoisted[next++]);
      }
    }
    return out;
  }

 private:
  // Returns the result of the forward scan that holds the value, or -1 if none does.
  int place(const Value& value, int argument) {
    if (argument >= attrs_.num_carry) return -1;
    if (invariant_[value] != 0) {
      hoisted_.push_back(value);
      return -1;
    }
    auto ys = body_.results.begin() + attrs_.num_carry;
    auto found = std::find(ys, body_.results.end(), value);
    auto position = static_cast<int>(found - body_.results.begin());
    if (found == body_.results.end()) body_.results.push_back(value);
    return position;
  }

  VjpContext& c_;
  const ScanAttrs& attrs_;
  Region& body_;
  int first_outside_;
  ValueTable<char> invariant_;
  Values kept_;
  Values hoisted_;
  std::vector<int> results_;
};

// Runs the backward body for one step. `slices` has the sliced kept values, then the cotangents of
// ys; `cotangents` has those of the carry.
struct BackwardStep {
  const ScanSplit& split;
  const Values& kept;

  Values operator()(std::span<const Value> cotangents, std::span<const Value> slices) const {
    Values inputs;
    std::size_t next = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
      inputs.push_back(split.kept_is_sliced[i] ? slices[next++]
                                               : Tracer::current().import(kept[i]));
    inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
    inputs.insert(inputs.end(), slices.begin() + static_cast<std::ptrdiff_t>(next), slices.end());
    return inline_region(*split.backward, inputs);
  }
};

std::size_t count(const std::vector<bool>& flags, std::size_t first, std::size_t last) {
  auto begin = flags.begin();
  return static_cast<std::size_t>(std::count(begin + static_cast<std::ptrdiff_t>(first),
                                             begin + static_cast<std::ptrdiff_t>(last), true));
}

}  // namespace

std::vector<Value> augment_scan(VjpContext& c) {
  const ScanAttrs& attrs = c.attr<ScanAttrs>();
  ScanSplit split{.options = gradient_flow(c)};
  split.options.costly.assign(split.options.wrt.size(), false);
  std::fill_n(split.options.costly.begin(), attrs.num_carry, true);
  split.options.apart = attrs.unroll < attrs.length;
  RegionVjp parts = c.differentiate(*c.node().regions[0], split.options);
  split.backward = parts.backward;

  KeptPlaces places(c, parts);
  split.kept_is_sliced = places.is_sliced();
  Values operands;
  for (int i = 0; i < c.node().num_operands(); ++i)
    operands.push_back(c.operand(i));
  Values results = emit_all(kScan, std::move(operands), attrs, {parts.forward}, c.node().loc);
  Values kept = places.values(results);
  results.resize(c.node().types.size());
  results.insert(results.end(), kept.begin(), kept.end());
  c.state() = std::move(split);
  return results;
}

void scan_vjp(VjpContext& c) {
  const ScanAttrs& attrs = c.attr<ScanAttrs>();
  const auto& split = std::any_cast<const ScanSplit&>(c.state());
  const std::vector<bool>& wrt = split.options.wrt;
  auto num_carry = static_cast<std::size_t>(attrs.num_carry);
  auto first_outside = num_carry + static_cast<std::size_t>(attrs.num_xs);
  Values kept(c.kept().begin(), c.kept().end());

  // The carry: cotangents of the forward carry, then gradient sums of the outer values.
  Values init, xs;
  for (int i = 0; i < attrs.num_carry; ++i) {
    if (wrt[static_cast<std::size_t>(i)]) init.push_back(c.cotangent(i));
  }
  for (std::size_t i = first_outside; i < wrt.size(); ++i) {
    if (wrt[i]) init.push_back(zeros(c.node().in(static_cast<int>(i))));
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (split.kept_is_sliced[i]) xs.push_back(kept[i]);
  }
  for (std::size_t r = num_carry; r < c.node().types.size(); ++r) {
    if (split.options.with_cotangent[r]) xs.push_back(c.cotangent(static_cast<int>(r)));
  }
  std::size_t num_cotangents = count(wrt, 0, num_carry);
  std::size_t num_xs_gradients = count(wrt, num_carry, first_outside);
  BackwardStep step{split, kept};
  ScanBody body = [&](std::span<const Value> carry, std::span<const Value> slices) {
    Values gradients = step(carry.first(num_cotangents), slices);
    auto xs_gradients = gradients.begin() + static_cast<std::ptrdiff_t>(num_cotangents);
    auto sums = xs_gradients + static_cast<std::ptrdiff_t>(num_xs_gradients);
    ScanStep out{.carry = {gradients.begin(), xs_gradients}, .ys = {xs_gradients, sums}};
    for (std::size_t i = num_cotangents; i < carry.size(); ++i)
      out.carry.push_back(carry[i] + *sums++);
    return out;
  };
  ScanResult result = scan(
      init, xs, body, {.length = attrs.length, .reverse = !attrs.reverse, .unroll = attrs.unroll},
      c.node().loc);

  std::size_t next_carry = 0, next_y = 0;
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    if (!wrt[i]) continue;
    bool is_x = i >= num_carry && i < first_outside;
    c.add(static_cast<int>(i), is_x ? result.ys[next_y++] : result.carry[next_carry++]);
  }
}

}  // namespace meshwright::graph
