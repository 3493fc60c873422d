// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/sharding.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/mesh/unknown_axis.h"

namespace meshwright::mesh {

bool Sharding::is_replicated() const {
  return std::ranges::all_of(dims, [](const auto& axes) { return axes.empty(); });
}

bool Sharding::operator==(const Sharding& other) const {
  static const std::vector<std::string> kWhole;
  for (std::size_t i = 0; i < std::max(dims.size(), other.dims.size()); ++i) {
    const auto& mine = i < dims.size() ? dims[i] : kWhole;
    const auto& theirs = i < other.dims.size() ? other.dims[i] : kWhole;
    if (mine != theirs) return false;
  }
  return true;
}

std::string to_string(const Sharding& sharding) {
  std::string out = "[";
  for (std::size_t i = 0; i < sharding.dims.size(); ++i) {
    if (i > 0) out += ", ";
    out += sharding.dims[i].empty() ? std::string("-") : join(sharding.dims[i], "+");
  }
  return out + "]";
}

AxisSet check_sharding(const Mesh& mesh, const Sharding& sharding) {
  AxisSet used;
  for (const std::vector<std::string>& axes : sharding.dims) {
    for (const std::string& name : axes) {
      std::optional<int> axis = mesh.find_axis(name);
      if (!axis) fail_unknown_axis(mesh, name, str("sharding ", sharding));
      MW_CHECK(!used.contains(*axis), "sharding ", sharding, ": mesh axis '", name,
               "' is used twice in one array\nuse it for one dimension only");
      used = used | AxisSet::of(*axis);
    }
  }
  return used;
}

Sharding within_process(const Mesh& mesh, Sharding sharding) {
  for (std::vector<std::string>& axes : sharding.dims) {
    std::erase_if(axes, [&](const std::string& name) {
      return process_axes(mesh).contains(mesh.axis_index(name));
    });
  }
  return sharding;
}

AxisSet across_processes(const Mesh& mesh, const Sharding& sharding) {
  return check_sharding(mesh, sharding) & process_axes(mesh);
}

}  // namespace meshwright::mesh
