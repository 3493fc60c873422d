// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/shard_type.h"

#include "meshwright/base/check.h"
#include "meshwright/base/remedy.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::string what(const Value& x, const mesh::ShardSpec& spec) {
  return str(x, " typed '", spec, "'");
}

}  // namespace

void check_type(std::string_view op, const Value& x, const mesh::ShardSpec& spec, SourceLoc loc) {
  Tracer& tracer = Tracer::current();
  std::vector<mesh::DimSpec> dims = spec.dims();
  MW_CHECK(std::ssize(dims) == x.rank(), op, ": ", what(x, spec), ": the type has ", dims.size(),
           " dimensions", origin(loc));
  try {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      std::int64_t size = x.dims()[i];
      for (std::string_view axis : dims[i].mesh_axes) {
        std::int64_t parts = tracer.mesh().axis_size(axis);
        if (tracer.manual_axes().contains(tracer.mesh().axis_index(axis))) size *= parts;
      }
      if (std::optional<std::int64_t> fixed = dims[i].size()) {
        MW_CHECK(size == *fixed, what(x, spec), ": dimension ", i, " is ", size);
      } else {
        tracer.whole_axes().bind(dims[i].name, size, what(x, spec), loc);
      }
    }
  } catch (const Error& error) {
    fail(error.code(), op, ": ", before_remedy(error.message(), origin(loc)));
  }
}

Value typed(Value x, mesh::ShardSpec spec, SourceLoc loc) {
  check_type("typed", x, spec, loc);
  return x;
}

}  // namespace meshwright::graph
