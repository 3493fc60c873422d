// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/reverse_pass.h"

#include <cassert>

#include "meshwright/autodiff/differentiate.h"
#include "meshwright/autodiff/gradient_path.h"
#include "meshwright/base/remedy.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

using graph::Node;
using graph::Region;
using graph::Tracer;
using graph::Type;
using graph::Value;

ReversePass::ReversePass(const Region& region,
                         std::vector<bool> wrt,
                         const std::vector<bool>& with_cotangent,
                         bool apart)
    : region_(region),
      wrt_(std::move(wrt)),
      activity_(region, wrt_, with_cotangent),
      copies_(region),
      cotangents_(region),
      apart_(apart) {}

std::vector<Value> ReversePass::forward(std::span<const Value> args) {
  assert(std::ssize(args) == region_.num_args());
  for (int i = 0; i < region_.num_args(); ++i)
    copies_[region_.arg(i)] = Tracer::current().import(args[static_cast<std::size_t>(i)]);
  for (Node* node : graph::live_nodes(region_)) {
    if (node->op->augment != nullptr && activity_.is_active(*node)) {
      augment_forward(*node);
    } else {
      copy_forward(*node);
    }
  }
  std::vector<Value> results;
  results.reserve(region_.results.size());
  for (const Value& result : region_.results)
    results.push_back(copies_[result]);
  return results;
}

void ReversePass::copy_forward(Node& node) {
  std::vector<Value> operands;
  operands.reserve(node.operands.size());
  for (const Value& operand : node.operands)
    operands.push_back(copies_[operand]);
  Node& copy = Tracer::current().append_copy(node, std::move(operands));
  for (int r = 0; r < node.num_results(); ++r)
    copies_[node.result(r)] = copy.result(r);
}

void ReversePass::augment_forward(Node& node) {
  std::vector<Value> results;
  run_rule(node, [&] { results = node.op->augment(*this); });
  auto num_results = node.types.size();
  assert(results.size() >= num_results);
  for (int r = 0; r < node.num_results(); ++r)
    copies_[node.result(r)] = results[static_cast<std::size_t>(r)];
  results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(num_results));
  augmented_[&node].kept = std::move(results);
}

std::vector<Value> ReversePass::backward(std::span<const Value> cotangents) {
  assert(cotangents.size() == region_.results.size());
  cotangents_ = graph::ValueTable<Value>(region_);
  in_backward_ = true;
  for (std::size_t i = 0; i < cotangents.size(); ++i) {
    const Value& result = region_.results[i];
    if (!cotangents[i].is_null() && activity_.is_active(result)) accumulate(result, cotangents[i]);
  }
  for (std::size_t i = region_.nodes.size(); i-- > 0;) {
    Node& node = *region_.nodes[i];
    if (has_any_cotangent(node)) pull_back(node);
  }
  in_backward_ = false;
  std::vector<Value> gradients;
  gradients.reserve(region_.args.size());
  for (int i = 0; i < region_.num_args(); ++i)
    gradients.push_back(cotangents_[region_.arg(i)]);
  return gradients;
}

void ReversePass::pull_back(Node& node) {
  run_rule(node, [&] { node.op->vjp(*this); });
}

// Runs a rule with the origin of its node, and adds the path of the gradient to its errors.
void ReversePass::run_rule(Node& node, const auto& rule) {
  node_ = &node;
  graph::OriginScope origin(node);
  try {
    rule();
  } catch (const Error& error) {
    throw Error(error.code(),
                before_remedy(error.message(), gradient_path(region_, activity_, node)));
  }
  node_ = nullptr;
}

bool ReversePass::has_any_cotangent(Node& node) const {
  for (int r = 0; r < node.num_results(); ++r) {
    if (!cotangents_[node.result(r)].is_null()) return true;
  }
  return false;
}

void ReversePass::accumulate(const Value& value, Value gradient) {
  Value& sum = cotangents_[value];
  sum = sum.is_null() ? gradient : sum + gradient;
}

Value ReversePass::operand(int i) const {
  return copies_[node_->operands[static_cast<std::size_t>(i)]];
}

Value ReversePass::result(int i) const {
  return copies_[node_->result(i)];
}

std::span<const Value> ReversePass::kept() const {
  auto found = augmented_.find(node_);
  return found == augmented_.end() ? std::span<const Value>() : found->second.kept;
}

std::any& ReversePass::state() {
  return augmented_[node_].state;
}

bool ReversePass::needs(int i) const {
  return activity_.depends(node_->operands[static_cast<std::size_t>(i)]);
}

bool ReversePass::has_cotangent(int i) const {
  Value value = node_->result(i);
  return in_backward_ ? !cotangents_[value].is_null() : activity_.is_active(value);
}

Value ReversePass::cotangent(int i) const {
  Value known = cotangents_[node_->result(i)];
  return known.is_null() ? graph::zeros(node_->out(i), node_->loc) : known;
}

void ReversePass::add(int i, Value gradient) {
  if (!needs(i)) return;
  const Type& wanted = node_->in(i);
  const Type& given = gradient.type();
  if (given.dtype != wanted.dtype || given.dims != wanted.dims) {
    fail(ErrorCode::internal, node_->op->name, ": its gradient rule returns ", gradient,
         " for operand ", i, ", expected ", wanted.array());
  }
  if (!wanted.varying.contains(given.varying)) {
    fail(ErrorCode::internal, node_->op->name, ": its gradient rule returns for operand ", i, ", ",
         wanted.array(),
         ", a gradient that varies over mesh axes that the operand does not vary over");
  }
  accumulate(node_->operands[static_cast<std::size_t>(i)], graph::vary(gradient, wanted.varying));
}

graph::GradientFlow ReversePass::flow(const Region& body,
                                      const std::vector<bool>& wrt,
                                      const std::vector<bool>& with_cotangent) const {
  Activity activity(body, wrt, with_cotangent);
  graph::GradientFlow out;
  for (const Value& result : body.results)
    out.results.push_back(activity.depends(result));
  for (int i = 0; i < body.num_args(); ++i)
    out.args.push_back(activity.is_active(body.arg(i)));
  return out;
}

graph::RegionVjp ReversePass::differentiate(const Region& body,
                                            const graph::RegionVjpOptions& options) {
  graph::RegionVjpOptions adjusted = options;
  if (apart_) adjusted.policy.barrier = false;
  return autodiff::differentiate(body, adjusted);
}

}  // namespace meshwright::autodiff
