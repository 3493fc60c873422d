// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/unknown_axis.h"

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"

namespace meshwright::mesh {
namespace {

std::string remedy(const Mesh& mesh, std::string_view name) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : mesh.axes())
    names.push_back(axis.name);
  if (names.empty()) return "do not split the array, or add axes to the mesh";
  std::string all = str("the mesh has '", join(names, "', '"), "'");
  if (auto nearest = find_nearest(name, names)) return str("did you mean '", *nearest, "'? ", all);
  return str("use an existing axis, or add this one to the mesh: ", all);
}

}  // namespace

void fail_unknown_axis(const Mesh& mesh,
                       std::string_view name,
                       std::string_view what,
                       std::string_view where) {
  fail(ErrorCode::invalid_argument, what, what.empty() ? "" : ": ", "mesh axis '", name,
       "' does not exist; the mesh is ", mesh, where, "\n", remedy(mesh, name));
}

}  // namespace meshwright::mesh
