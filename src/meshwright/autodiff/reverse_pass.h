// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <span>
#include <unordered_map>
#include <vector>

#include "meshwright/autodiff/activity.h"
#include "meshwright/graph/core/vjp.h"

namespace meshwright::autodiff {

/// One reverse-mode differentiation of one region: first forward() emits the region into the one
/// being traced, then backward() emits its gradient there or in a body inside, once or several
/// times. All that is emitted are ordinary nodes, which can be differentiated again.
class ReversePass final : public graph::VjpContext {
 public:
  /// `wrt` is per argument and `with_cotangent` per result of the region; `apart` as in
  /// graph::RegionVjpOptions.
  ReversePass(const graph::Region& region,
              std::vector<bool> wrt,
              const std::vector<bool>& with_cotangent,
              bool apart = false);

  /// Emits the region with these values for its arguments and returns its results.
  std::vector<graph::Value> forward(std::span<const graph::Value> args);

  /// Emits the gradient. `cotangents` is per result, empty Values where there is none; the answer
  /// is per argument, empty Values where no gradient arrives or none is wanted. Throws
  /// invalid_argument where an op on the path has no gradient, naming it and the path, and internal
  /// where a rule returns a gradient of another type than its operand has.
  std::vector<graph::Value> backward(std::span<const graph::Value> cotangents);

  // What gradient rules see: the node at hand.
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
  graph::ValueTable<graph::Value> copies_;      // of the region's values, where forward() went
  graph::ValueTable<graph::Value> cotangents_;  // empty where none arrived so far
  std::unordered_map<const graph::Node*, Augmented> augmented_;
  graph::Node* node_ = nullptr;
  bool apart_;
  bool in_backward_ = false;
};

}  // namespace meshwright::autodiff
