// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/check_sharding.h"

#include "meshwright/base/error.h"
#include "meshwright/base/remedy.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

mesh::AxisSet check_sharding_at(const mesh::Mesh& mesh,
                                const mesh::Sharding& sharding,
                                SourceLoc loc) {
  try {
    return mesh::check_sharding(mesh, sharding);
  } catch (const Error& error) {
    throw Error(error.code(), before_remedy(error.message(), origin(loc)));
  }
}

}  // namespace meshwright::graph
