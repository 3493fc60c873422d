// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::autodiff {

/// Determines which values of a region take part in differentiating some of its results with
/// respect to some of its arguments. Integers and booleans never take part.
class Activity {
 public:
  /// `wrt` has one entry per argument of the region, and `with_cotangent` has one per result.
  Activity(const graph::Region& region,
           const std::vector<bool>& wrt,
           const std::vector<bool>& with_cotangent);

  /// True if the value depends differentiably on an argument in `wrt`.
  bool depends(const graph::Value& value) const { return depends_[value] != 0; }
  /// True if, in addition, a result with a cotangent depends differentiably on the value.
  bool is_active(const graph::Value& value) const { return active_[value] != 0; }
  /// True if any result of the node is active.
  bool is_active(const graph::Node& node) const;

 private:
  graph::ValueTable<char> depends_;
  graph::ValueTable<char> active_;
};

}  // namespace meshwright::autodiff
