// SPDX-License-Identifier: Apache-2.0
// The arrays that a region keeps in memory, and their lifetimes.
#pragma once

#include <optional>
#include <vector>

#include "meshwright/estimate/splits.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/graph/tracing/rewrite.h"

namespace meshwright::estimate {

/// The arrays of one region, numbered. Times are positions in order(); results of the region are
/// used until the end.
class Storage {
 public:
  explicit Storage(const graph::Region& region);

  /// Returns the live nodes in the order in which they run: that of the program, but reductions
  /// run as soon as they can, since their operands take more memory than their results.
  const std::vector<graph::Node*>& order() const { return order_; }

  /// Returns the array of an argument of the region.
  int of_argument(int argument) const { return argument; }
  /// Returns the array that holds a result of a node; nullopt for values that are computed where
  /// they are used, and for those that are another name of an array.
  std::optional<int> stored(const graph::Value& value) const;
  const graph::Value& value(int array) const { return values_[static_cast<std::size_t>(array)]; }
  int last_use(int array) const { return last_uses_[static_cast<std::size_t>(array)]; }
  /// Returns the arrays that a result may be written over, if they are not used later.
  std::vector<int> overwritable(const graph::Node& node, int result) const;

 private:
  using Arrays = std::vector<int>;  // sorted

  void add_array(const graph::Value& value);
  void demand_operands(const std::vector<graph::Node*>& nodes);
  void sort(std::vector<graph::Node*> nodes);
  void compute(graph::Node& node);
  void demand(const graph::Value& value);
  void use(const graph::Value& value, int time);

  std::vector<graph::Node*> order_;
  graph::ValueTable<char> demanded_;
  graph::ValueTable<Arrays> arrays_;  // that hold what a value is computed from
  graph::ValueTable<std::optional<int>> stored_;
  std::vector<graph::Value> values_;
  std::vector<int> last_uses_;
};

}  // namespace meshwright::estimate
