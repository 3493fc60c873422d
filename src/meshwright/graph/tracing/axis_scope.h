// SPDX-License-Identifier: Apache-2.0
// Axis names and their sizes while tracing. Binding a name to two different sizes is an error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/source_loc.h"

namespace meshwright::graph {

using AxisSizes = std::map<std::string, std::int64_t, std::less<>>;

class AxisScopes {
 public:
  explicit AxisScopes(AxisSizes dims) : dims_(std::move(dims)), scopes_(1) {}

  /// Returns the size of the name; nullptr if it has none yet.
  const std::int64_t* find(std::string_view name) const;
  /// Binds a name to a size in the innermost scope. Throws invalid_argument if the name already has
  /// another size; the message names both arrays. `what` describes the array, such as "rhs
  /// bf16[1024,4096]".
  void bind(std::string_view name, std::int64_t size, std::string_view what, SourceLoc loc = {});

  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }

 private:
  struct Bound {
    std::int64_t size;
    std::string by;  // such as "lhs bf16[8,512] at block.cc:40"
  };
  using Scope = std::map<std::string, Bound, std::less<>>;

  AxisSizes dims_;
  std::vector<Scope> scopes_;  // names bound at first use; only the innermost scope is searched
};

/// A scope for axis names, such as the body of one function of a model.
class AxisScope {
 public:
  AxisScope();
  ~AxisScope();
  AxisScope(const AxisScope&) = delete;
  AxisScope& operator=(const AxisScope&) = delete;

 private:
  AxisScopes& scopes_;
};

}  // namespace meshwright::graph
