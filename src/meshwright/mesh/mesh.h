// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::mesh {

/// Kind of a mesh axis. An inner axis spans devices of one process; XLA's partitioner handles it. A
/// process axis spans processes, which the partitioner does not know about; it is manual throughout
/// the program.
enum class AxisKind { inner, process };

/// A named dimension of the device mesh.
struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  AxisKind kind = AxisKind::inner;
  bool operator==(const MeshAxis&) const = default;
};

/// A named grid of devices. Device ids are row-major, with the last axis varying fastest. A mesh
/// without axes is a single device.
class Mesh {
 public:
  Mesh() = default;
  /// Throws invalid_argument for an empty or duplicate name, a size below 1, or more than 32 axes.
  explicit Mesh(std::vector<MeshAxis> axes);

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::int64_t num_devices() const;
  /// Returns the position of the axis `name`; nullopt if there is none.
  std::optional<int> find_axis(std::string_view name) const;
  /// Like find_axis(), but throws invalid_argument, listing the axes, if there is none.
  int axis_index(std::string_view name) const;
  std::int64_t axis_size(std::string_view name) const;
  bool operator==(const Mesh&) const = default;

 private:
  std::vector<MeshAxis> axes_;
};

/// Returns the number of shards of a dimension that is sharded over these axes.
std::int64_t num_shards_along(const Mesh& mesh, const std::vector<std::string>& axes);

/// Returns text such as "data=2,tensor=4" or "host=2 (processes),data=4"; "one device" for a mesh
/// without axes.
std::string to_string(const Mesh& mesh);

/// A set of mesh axes, by position in the mesh.
class AxisSet {
 public:
  constexpr AxisSet() = default;
  static constexpr AxisSet of(int axis) { return AxisSet(std::uint32_t{1} << axis); }
  constexpr bool contains(int axis) const { return (bits_ >> axis & 1u) != 0; }
  constexpr bool contains(AxisSet other) const { return (bits_ & other.bits_) == other.bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr AxisSet operator|(AxisSet other) const { return AxisSet(bits_ | other.bits_); }
  constexpr AxisSet operator&(AxisSet other) const { return AxisSet(bits_ & other.bits_); }
  /// Returns the axes that are not in `other`.
  constexpr AxisSet operator-(AxisSet other) const { return AxisSet(bits_ & ~other.bits_); }
  constexpr bool operator==(const AxisSet&) const = default;

 private:
  constexpr explicit AxisSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

}  // namespace meshwright::mesh
