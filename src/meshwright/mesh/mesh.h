// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::mesh {

/// What divides an array along a mesh axis. XLA's partitioner knows the devices of one process; a
/// process axis runs over processes, of which it knows nothing. Process axes are manual for the
/// whole program.
enum class AxisKind { inner, process };

/// One named dimension of the device mesh.
struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  AxisKind kind = AxisKind::inner;
  bool operator==(const MeshAxis&) const = default;
};

/// Devices in a named grid; device ids run row-major, the last axis fastest. No axes: one device.
class Mesh {
 public:
  Mesh() = default;
  /// Throws invalid_argument for an empty or repeated name, a size below 1 or more than 32 axes.
  explicit Mesh(std::vector<MeshAxis> axes);

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::int64_t num_devices() const;
  /// The position of the axis called `name`.
  std::optional<int> find_axis(std::string_view name) const;
  /// As find_axis; throws invalid_argument naming the axes there are.
  int axis_index(std::string_view name) const;
  std::int64_t axis_size(std::string_view name) const;
  bool operator==(const Mesh&) const = default;

 private:
  std::vector<MeshAxis> axes_;
};

/// "data=2,tensor=4"; "host=2 (processes),data=4"; "one device" for an empty mesh.
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
  /// The axes of this set that are not in `other`.
  constexpr AxisSet operator-(AxisSet other) const { return AxisSet(bits_ & ~other.bits_); }
  constexpr bool operator==(const AxisSet&) const = default;

 private:
  constexpr explicit AxisSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

}  // namespace meshwright::mesh
