// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/mesh_spec.h"

#include <algorithm>
#include <map>

#include "meshwright/base/check.h"

namespace meshwright::mesh {
namespace {

using Sizes = MeshShape::Sizes;

std::string sizes_text(const Sizes& sizes) {
  std::string out;
  for (const std::optional<std::int64_t>& size : sizes)
    out += str(out.empty() ? "" : "x", size ? str(*size) : std::string("auto"));
  return out;
}

// Returns the sizes as a product, for messages.
std::string axes_text(const Sizes& sizes) {
  std::vector<std::string> words;
  for (const std::optional<std::int64_t>& size : sizes)
    words.push_back(size ? str(*size) : std::string("auto"));
  return join(words, " \u00d7 ");
}

// Returns text such as "1 device" or "3 devices in each granule".
std::string counted(std::int64_t count, std::string_view what) {
  const std::size_t end = std::min(what.find(' '), what.size());
  const bool is_one = count == 1 && what.substr(0, end).ends_with('s');
  return str(count, " ", what.substr(0, is_one ? end - 1 : end), what.substr(end));
}

std::vector<std::int64_t> filled_in(const Sizes& sizes, std::int64_t total, std::string_view what) {
  std::int64_t known = 1;
  int num_auto = 0;
  for (const std::optional<std::int64_t>& size : sizes) {
    MW_CHECK(!size || *size >= 1, "mesh: size ", size.value_or(0), " in ", sizes_text(sizes),
             "\nsizes must be at least 1; \"auto\" takes the remaining devices");
    known *= size.value_or(1);
    num_auto += size ? 0 : 1;
  }
  MW_CHECK(num_auto <= 1, "mesh: ", sizes_text(sizes), " has ", num_auto,
           " sizes \"auto\"; at most one can be inferred\ngive the others as numbers");
  MW_CHECK(num_auto == 0 || total % known == 0, "mesh: ", counted(total, what),
           " cannot be split across mesh axes ", axes_text(sizes),
           "\nchange a size, or the number of ", what);
  MW_CHECK(num_auto == 1 || known == total, "mesh: ", sizes_text(sizes), " needs ", known, " ",
           what, ", but there are ", total, "\nmake one size \"auto\", or change the number of ",
           what);
  std::vector<std::int64_t> out;
  for (const std::optional<std::int64_t>& size : sizes)
    out.push_back(size.value_or(total / known));
  return out;
}

// Returns the devices of each granule in their given order. Granules are sorted by number.
std::vector<std::vector<std::int64_t>> by_granule(std::span<const std::int64_t> granules) {
  std::map<std::int64_t, std::vector<std::int64_t>> sorted;
  for (std::size_t device = 0; device < granules.size(); ++device)
    sorted[granules[device]].push_back(static_cast<std::int64_t>(device));
  std::vector<std::vector<std::int64_t>> out;
  for (auto& [number, devices] : sorted)
    out.push_back(std::move(devices));
  for (const auto& devices : out) {
    MW_CHECK(devices.size() == out[0].size(),
             "mesh: granules have different numbers of devices: ", out[0].size(), " and ",
             devices.size(), "\nstart the same number in each process or slice");
  }
  return out;
}

struct Factors {
  std::vector<std::int64_t> outer, inner;
};

// Splits the first axis with more than one device over the granules.
Factors cut_over(std::vector<std::int64_t> sizes, std::int64_t num_granules) {
  Factors out{.outer = {}, .inner = std::move(sizes)};
  out.outer.assign(out.inner.size(), 1);
  if (num_granules == 1) return out;
  std::size_t axis = 0;
  while (axis + 1 < out.inner.size() && out.inner[axis] == 1)
    ++axis;
  MW_CHECK(axis < out.inner.size() && out.inner[axis] % num_granules == 0, "mesh: size ",
           out.inner.empty() ? 1 : out.inner[axis], " of axis ", axis, " is not divisible by the ",
           num_granules, " granules of devices\nspecify an outer shape");
  out.outer[axis] = num_granules;
  out.inner[axis] /= num_granules;
  return out;
}

// Converts a row-major index to coordinates.
std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& sizes, std::int64_t number) {
  std::vector<std::int64_t> out(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    out[i] = number % sizes[i];
    number /= sizes[i];
  }
  return out;
}

std::int64_t number(const std::vector<std::int64_t>& sizes,
                    const std::vector<std::int64_t>& coordinates) {
  std::int64_t out = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    out = out * sizes[i] + coordinates[i];
  return out;
}

// Reorders the devices of a granule along the torus for a mesh of these sizes. Returns
// TorusOrder::misfit.
std::string follow_torus(const Torus& torus,
                         const std::vector<std::int64_t>& sizes,
                         std::vector<std::int64_t>& devices) {
  std::vector<TorusPlace> places;
  for (std::int64_t device : devices)
    places.push_back(torus.places.at(static_cast<std::size_t>(device)));
  TorusOrder order = torus_order(torus.kind, places, sizes);
  std::vector<std::int64_t> out;
  for (std::int64_t index : order.devices)
    out.push_back(devices[static_cast<std::size_t>(index)]);
  devices = std::move(out);
  return order.misfit;
}

Mesh named(const std::vector<std::string>& names,
           const std::vector<std::int64_t>& sizes,
           const std::vector<AxisKind>& kinds) {
  std::vector<MeshAxis> axes;
  for (std::size_t i = 0; i < names.size(); ++i)
    axes.push_back({names[i], sizes[i], kinds.empty() ? AxisKind::inner : kinds[i]});
  return Mesh(std::move(axes));
}

// Removes process axes, since all devices belong to one process.
MeshShape within_one_process(const std::vector<std::string>& names, MeshShape shape) {
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    if (shape.kinds[i] != AxisKind::process) continue;
    std::int64_t size = shape.inner[i].value_or(1);
    if (size != 1) {
      fail(ErrorCode::unimplemented, "mesh: process axis '", names[i], "' has size ", size,
           ", but training supports a single process only\nmake its size 1 or \"auto\", or "
           "remove it from process_axes, so that it splits the devices of this process");
    }
    shape.inner[i] = 1;
  }
  return shape;
}

}  // namespace

std::string to_string(const MeshShape& shape) {
  if (shape.outer.empty()) return sizes_text(shape.inner);
  return str(sizes_text(shape.outer), " between granules, ", sizes_text(shape.inner), " within");
}

PlacedMesh place_mesh(const std::vector<std::string>& axis_names,
                      const MeshShape& wanted,
                      std::span<const std::int64_t> granules,
                      const std::optional<Torus>& torus) {
  const std::size_t num_axes = axis_names.size();
  MW_CHECK(wanted.inner.size() == num_axes &&
               (wanted.outer.empty() || wanted.outer.size() == num_axes) &&
               (wanted.kinds.empty() || wanted.kinds.size() == num_axes),
           "mesh: shape ", wanted, " does not have one size per axis of ", axis_names,
           "\ngive one size per axis, 1 for axes that split nothing");
  MW_CHECK(!granules.empty(), "mesh: no devices");
  const MeshShape shape = within_one_process(axis_names, wanted);
  std::vector<std::vector<std::int64_t>> groups = by_granule(granules);
  auto num_granules = std::ssize(groups);
  Factors factors;
  if (shape.outer.empty()) {
    factors = cut_over(filled_in(shape.inner, std::ssize(granules), "devices"), num_granules);
  } else {
    factors = {.outer = filled_in(shape.outer, num_granules, "granules"),
               .inner = filled_in(shape.inner, std::ssize(groups[0]), "devices of a granule")};
  }
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < axis_names.size(); ++i)
    sizes.push_back(factors.outer[i] * factors.inner[i]);
  PlacedMesh out{.mesh = named(axis_names, sizes, shape.kinds), .devices = {}};
  for (std::vector<std::int64_t>& devices : groups) {
    if (!torus) break;
    std::string misfit = follow_torus(*torus, factors.inner, devices);
    if (out.misfit.empty()) out.misfit = misfit;
  }
  for (std::int64_t position = 0; position < std::ssize(granules); ++position) {
    std::vector<std::int64_t> outer = coordinates(sizes, position), inner = outer;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      outer[i] /= factors.inner[i];
      inner[i] %= factors.inner[i];
    }
    auto granule = static_cast<std::size_t>(number(factors.outer, outer));
    out.devices.push_back(groups[granule][static_cast<std::size_t>(number(factors.inner, inner))]);
  }
  return out;
}

Mesh make_mesh(const std::vector<std::string>& axis_names,
               const MeshShape& shape,
               std::int64_t num_devices) {
  MW_CHECK(num_devices >= 1, "mesh: num_devices is ", num_devices, ", expected at least 1");
  return place_mesh(axis_names, shape,
                    std::vector<std::int64_t>(static_cast<std::size_t>(num_devices), 0))
      .mesh;
}

MeshChoice choose_mesh(const std::optional<MeshShape>& configured,
                       std::span<const MeshRule> rules,
                       const std::optional<std::string>& selector) {
  if (selector) {
    for (const MeshRule& rule : rules) {
      if (rule.selector.matches(*selector)) {
        return {.shape = rule.shape, .matched = rule.selector.pattern()};
      }
    }
  }
  return {.shape = configured, .matched = std::nullopt};
}

}  // namespace meshwright::mesh
