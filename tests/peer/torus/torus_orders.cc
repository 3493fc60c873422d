// SPDX-License-Identifier: Apache-2.0
// usage: torus_orders < CASES
//
// Prints the order of devices for each case as a line, preceded by "plain" if the topology does not
// fit. A case is numbers and words separated by white space: the kind of TPU with '_' for ' ', the
// number of mesh axes, their sizes within slices, their sizes between slices, the number of
// devices, and for each its slice, x, y, z and core.
#include <iostream>

#include "meshwright/base/str.h"
#include "meshwright/mesh/mesh_spec.h"

namespace meshwright::mesh {
namespace {

std::int64_t read_number() {
  std::int64_t out = 0;
  std::cin >> out;
  return out;
}

MeshShape read_shape() {
  MeshShape out;
  const std::int64_t num_axes = read_number();
  for (MeshShape::Sizes* sizes : {&out.inner, &out.outer}) {
    for (std::int64_t axis = 0; axis < num_axes; ++axis)
      sizes->emplace_back(read_number());
  }
  return out;
}

PlacedMesh place_case(std::string kind) {
  for (char& c : kind)
    if (c == '_') c = ' ';
  const MeshShape shape = read_shape();
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < shape.inner.size(); ++axis)
    names.push_back(str("axis", axis));
  Torus torus{.kind = std::move(kind), .places = {}};
  std::vector<std::int64_t> slices;
  const std::int64_t num_devices = read_number();
  for (std::int64_t device = 0; device < num_devices; ++device) {
    slices.push_back(read_number());
    for (std::int64_t& number : torus.places.emplace_back())
      number = read_number();
  }
  return place_mesh(names, shape, slices, torus);
}

}  // namespace
}  // namespace meshwright::mesh

int main() {
  for (std::string kind; std::cin >> kind;) {
    const meshwright::mesh::PlacedMesh placed = meshwright::mesh::place_case(kind);
    std::cout << (placed.misfit.empty() ? "" : "plain ") << meshwright::join(placed.devices, " ")
              << '\n';
  }
}
