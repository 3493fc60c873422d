// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <span>
#include <unordered_map>
#include <vector>

#include "meshwright/autodiff/activity.h"
#include "meshwright/graph/core/vjp.h"

namespace meshwright::autodiff {

/// One reverse-mode differentiation of one region. forward() emits the region into the region being
/// traced. backward() then emits its gradient there, or in a body inside that region, any number of
/// times. All emitted nodes are ordinary nodes and can be differentiated again.
class ReversePass final : public graph::VjpContext {
 public:
  /// `wrt` has one entry per argument of the region, and `with_cotangent` has one per result. See
  /// graph::RegionVjpOptions for `apart`.
  ReversePass(const graph::Region& region,
              std::vector<bool> wrt,
              const std::vector<bool>& with_cotangent,
              bool apart = false);

  /// Emits the region with these arguments and returns its results.
  std::vector<graph::Value> forward(std::span<const graph::Value> args);

  /// Emits the gradient. `cotangents` has one Value per result, empty if there is no cotangent.
  /// Returns one Value per argument, empty if no gradient arrives or none is wanted. Throws
  /// invalid_argument, naming the op and the path, if an op on the path has no gradient, and
  /// internal if a rule returns a gradient whose type differs from that of its operand.
  std::vector<graph::Value> backward(std::span<const graph::Value> cotangents);

  // The view of the current node for gradient rules.
  const graph::Node& node() const override { return *node_; }
  graph::Value operand(int i) const override;
  graph::Value result(int i) const override;
  std::span<const graph::Value> kept() const override;
  std::any& state() override;
  bool needs(int i) const override;
  bool has_cotangent(int i) const override;
  graph::Value cotangent(int i) const override;
  void add(int i, graph::Value gradient) override;
  using VjpContext::add;
  graph::GradientFlow flow(const graph::Region& body,
                           const std::vector<bool>& wrt,
                           const std::vector<bool>& with_cotangent) const override;
  graph::RegionVjp differentiate(const graph::Region& body,
                                 const graph::RegionVjpOptions& options) override;

 private:
  struct Augmented {
    std::vector<graph::Value> kept;
    std::any state;
  };

  void copy_forward(graph::Node& node);
  void augment_forward(graph::Node& node);
  void pull_back(graph::Node& node);
  bool has_any_cotangent(graph::Node& node) const;
  void accumulate(const graph::Value& value, graph::Value gradient);
  void run_rule(graph::Node& node, const auto& rule);

  const graph::Region& region_;
  std::vector<bool> wrt_;
  Activity activity_;
  graph::ValueTable<graph::Value> copies_;      // values of the region as emitted by forward()
  graph::ValueTable<graph::Value> cotangents_;  // empty if none has arrived yet
  std::unordered_map<const graph::Node*, Augmented> augmented_;
  graph::Node* node_ = nullptr;
  bool apart_;
  bool in_backward_ = false;
};

}  // namespace meshwright::autodiff
