// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/device_groups.h"

#include "meshwright/base/str.h"

namespace meshwright::mesh {
namespace {

// Returns the index of a device along `axes`, the first being the slowest.
std::int64_t coordinate(const Mesh& mesh, std::span<const int> axes, std::int64_t device) {
  std::vector<std::int64_t> of_axis(mesh.axes().size());
  for (std::size_t i = of_axis.size(); i-- > 0;) {
    of_axis[i] = device % mesh.axes()[i].size;
    device /= mesh.axes()[i].size;
  }
  std::int64_t out = 0;
  for (int axis : axes) {
    auto i = static_cast<std::size_t>(axis);
    out = out * mesh.axes()[i].size + of_axis[i];
  }
  return out;
}

}  // namespace

std::int64_t group_size(const Mesh& mesh, std::span<const int> axes) {
  std::int64_t out = 1;
  for (int axis : axes)
    out *= mesh.axes()[static_cast<std::size_t>(axis)].size;
  return out;
}

std::vector<std::vector<std::int64_t>> device_groups(const Mesh& mesh, std::span<const int> axes) {
  std::vector<int> others = positions(all_axes(mesh) - axis_set(axes));
  std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(group_size(mesh, others)));
  for (auto& group : out)
    group.resize(static_cast<std::size_t>(group_size(mesh, axes)));
  for (std::int64_t device = 0; device < mesh.num_devices(); ++device) {
    auto group = static_cast<std::size_t>(coordinate(mesh, others, device));
    out[group][static_cast<std::size_t>(coordinate(mesh, axes, device))] = device;
  }
  return out;
}

std::vector<int> positions(AxisSet axes) {
  std::vector<int> out;
  for (int i = 0; i < 32; ++i) {
    if (axes.contains(i)) out.push_back(i);
  }
  return out;
}

AxisSet axis_set(std::span<const int> axes) {
  AxisSet out;
  for (int axis : axes)
    out = out | AxisSet::of(axis);
  return out;
}

AxisSet all_axes(const Mesh& mesh) {
  AxisSet out;
  for (int i = 0; i < std::ssize(mesh.axes()); ++i)
    out = out | AxisSet::of(i);
  return out;
}

AxisSet process_axes(const Mesh& mesh) {
  AxisSet out;
  for (int i = 0; i < std::ssize(mesh.axes()); ++i) {
    if (mesh.axes()[static_cast<std::size_t>(i)].kind == AxisKind::process)
      out = out | AxisSet::of(i);
  }
  return out;
}

std::string to_string(const Mesh& mesh, AxisSet axes) {
  std::string out;
  for (int i : positions(axes))
    out += str(out.empty() ? "" : ",", mesh.axes()[static_cast<std::size_t>(i)].name);
  return out;
}

}  // namespace meshwright::mesh
