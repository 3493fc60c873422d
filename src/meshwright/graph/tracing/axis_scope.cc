// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/axis_scope.h"

#include "meshwright/base/error.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

const std::int64_t* AxisScopes::find(std::string_view name) const {
  if (auto found = dims_.find(name); found != dims_.end()) return &found->second;
  const Scope& innermost = scopes_.back();
  if (auto found = innermost.find(name); found != innermost.end()) return &found->second.size;
  return nullptr;
}

void AxisScopes::bind(std::string_view name,
                      std::int64_t size,
                      std::string_view what,
                      SourceLoc loc) {
  const std::int64_t* known = find(name);
  if (known == nullptr) {
    std::string by = loc.line == 0 ? std::string(what) : str(what, " at ", loc);
    scopes_.back().emplace(name, Bound{size, std::move(by)});
    return;
  }
  if (*known == size) return;
  std::string by =
      dims_.contains(name) ? "the table of dims" : scopes_.back().find(name)->second.by;
  fail(ErrorCode::invalid_argument, "axis '", name, "' is ", *known, " in ", by, " but ", size,
       " in ", what);
}

AxisScope::AxisScope() : scopes_(Tracer::current().axes()) {
  scopes_.open();
}

AxisScope::~AxisScope() {
  scopes_.close();
}

}  // namespace meshwright::graph
