// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/mesh.h"

#include "meshwright/base/check.h"
#include "meshwright/mesh/unknown_axis.h"

namespace meshwright::mesh {
namespace {

constexpr std::size_t kMaxAxes = 32;  // AxisSet has one bit per axis

}  // namespace

Mesh::Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {
  MW_CHECK(axes_.size() <= kMaxAxes, "mesh: ", axes_.size(), " axes, at most ", kMaxAxes,
           " are supported");
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    MW_CHECK(!axes_[i].name.empty(), "mesh: axis ", i, " has no name");
    MW_CHECK(axes_[i].size >= 1, "mesh: axis '", axes_[i].name, "' has size ", axes_[i].size,
             ", expected at least 1");
    for (std::size_t j = 0; j < i; ++j) {
      MW_CHECK(axes_[i].name != axes_[j].name, "mesh: axis '", axes_[i].name, "' appears twice");
    }
  }
}

std::int64_t Mesh::num_devices() const {
  std::int64_t product = 1;
  for (const MeshAxis& axis : axes_) {
    MW_CHECK(!__builtin_mul_overflow(product, axis.size, &product), "mesh ", *this,
             " is too large");
  }
  return product;
}

std::optional<int> Mesh::find_axis(std::string_view name) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

int Mesh::axis_index(std::string_view name) const {
  std::optional<int> found = find_axis(name);
  if (!found) fail_unknown_axis(*this, name, "");
  return *found;
}

std::int64_t Mesh::axis_size(std::string_view name) const {
  return axes_[static_cast<std::size_t>(axis_index(name))].size;
}

std::int64_t num_shards_along(const Mesh& mesh, const std::vector<std::string>& axes) {
  std::int64_t parts = 1;
  for (const std::string& axis : axes)
    parts *= mesh.axis_size(axis);
  return parts;
}

std::string to_string(const Mesh& mesh) {
  if (mesh.axes().empty()) return "one device";
  std::string out;
  for (const MeshAxis& axis : mesh.axes()) {
    if (!out.empty()) out += ',';
    out += str(axis.name, "=", axis.size, axis.kind == AxisKind::process ? " (processes)" : "");
  }
  return out;
}

}  // namespace meshwright::mesh
