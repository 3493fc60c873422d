// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::autodiff {

/// Which values of a region take part when some of its results are differentiated by some of its
/// arguments. Integers and booleans never do.
class Activity {
 public:
  /// `wrt` is per argument and `with_cotangent` per result of the region.
  Activity(const graph::Region& region,
           const std::vector<bool>& wrt,
           const std::vector<bool>& with_cotangent);

  /// The value depends differentiably on an argument of `wrt`.
  bool depends(const graph::Value& value) const { return depends_[value] != 0; }
  /// It does, and a result with a cotangent depends differentiably on it.
  bool is_active(const graph::Value& value) const { return active_[value] != 0; }
  /// Some result of the node is active.
  bool is_active(const graph::Node& node) const;

 private:
  graph::ValueTable<char> depends_;
  graph::ValueTable<char> active_;
};

}  // namespace meshwright::autodiff
