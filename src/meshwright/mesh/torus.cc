// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/torus.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::mesh {
namespace {

using Order = std::vector<std::int64_t>;

constexpr std::size_t kNumSides = std::tuple_size_v<TorusPlace>;

/// The bounding box of the places.
struct Box {
  TorusPlace first, sides;
  /// True if it has these sides and starts at 0.
  bool is(const TorusPlace& wanted) const { return first == TorusPlace{} && sides == wanted; }
};

Box box_around(std::span<const TorusPlace> places) {
  Box box{.first = places[0], .sides = {}};
  TorusPlace last = places[0];
  for (const TorusPlace& place : places) {
    for (std::size_t i = 0; i < kNumSides; ++i) {
      box.first[i] = std::min(box.first[i], place[i]);
      last[i] = std::max(last[i], place[i]);
    }
  }
  for (std::size_t i = 0; i < kNumSides; ++i)
    box.sides[i] = last[i] - box.first[i] + 1;
  return box;
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// Returns text such as "4x4x4", or "2x2x1, 2 devices per chip" for chips with two devices.
std::string sides_text(const TorusPlace& sides) {
  std::string out = str(sides[0], "x", sides[1], "x", sides[2]);
  return sides[3] == 1 ? out : str(out, ", ", sides[3], " devices per chip");
}

Order as_listed(std::size_t num_devices) {
  Order out(num_devices);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// Sorts the places with x varying fastest or slowest.
Order sorted(std::span<const TorusPlace> places, bool x_is_fastest) {
  auto key = [&](std::int64_t device) {
    const TorusPlace& p = places[static_cast<std::size_t>(device)];
    return x_is_fastest ? std::array{p[2], p[1], p[0]} : std::array{p[0], p[1], p[2]};
  };
  Order out = as_listed(places.size());
  std::ranges::stable_sort(out, {}, key);
  return out;
}

/// Permutes each run of `ring.size()` devices into the order of the ring.
Order along(std::span<const int> ring, const Order& devices) {
  Order out;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::size_t in_ring = i % ring.size();
    out.push_back(devices[i - in_ring + static_cast<std::size_t>(ring[in_ring])]);
  }
  return out;
}

// Indices into a list sorted with x varying fastest, or into the plugin's list.
constexpr auto kRingOf2x2 = std::to_array({0, 1, 3, 2});
constexpr auto kRingOf2x2Chips = std::to_array({0, 1, 2, 3, 6, 7, 4, 5});  // of two devices each
constexpr auto kRingOf4x2 = std::to_array({0, 1, 2, 3, 7, 6, 5, 4});
constexpr auto kRingOf2x2x2 = std::to_array({0, 1, 3, 2, 6, 7, 5, 4});
constexpr auto kRingOf4x4 = std::to_array({0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4});

Order ring_of_v2_or_v3(std::span<const TorusPlace> places, std::span<const std::int64_t> sizes) {
  const bool has_ring = places.size() == 8 || sizes.back() == 8;
  Order out = as_listed(places.size());
  return has_ring ? along(kRingOf2x2Chips, out) : out;
}

std::optional<Order> ring_of_v5e_or_v6e(std::span<const TorusPlace> places,
                                        std::span<const std::int64_t> sizes) {
  const Box box = box_around(places);
  const std::size_t n = places.size();
  if (n == 4 && box.is({2, 2, 1, 1})) return along(kRingOf2x2, sorted(places, true));
  if (n == 8 && box.is({2, 2, 2, 1})) return sorted(places, false);
  // Any other arrangement of 8 devices; a ring only if they form 4x2.
  if (n == 8) return along(kRingOf4x2, sorted(places, true));
  if (n == 16 && box.is({4, 4, 1, 1}) && std::ranges::find(sizes, 16) != sizes.end())
    return along(kRingOf4x4, sorted(places, true));
  return std::nullopt;
}

/// Returns the devices of a small slice as a line to be split into the rows of the mesh; nullopt if
/// there is no ring for it.
std::optional<Order> ring_by_hand(std::string_view kind,
                                  std::span<const TorusPlace> places,
                                  std::span<const std::int64_t> sizes) {
  const std::size_t n = places.size();
  if (kind == "TPU v2" || kind == "TPU v3") return ring_of_v2_or_v3(places, sizes);
  if (kind == "TPU v5 lite" || kind == "TPU v6 lite") return ring_of_v5e_or_v6e(places, sizes);
  if ((kind == "TPU v4 lite" || kind == "TPU8i") && n == 4) return along(kRingOf2x2, as_listed(n));
  const Box box = box_around(places);
  if (kind == "TPU v5p" && n == 8 && box.is({2, 2, 2, 1}))
    return along(kRingOf2x2x2, sorted(places, true));
  const bool is_v7 = kind == "TPU7x" || kind == "TPU7";
  const bool is_small = n % 8 == 0 && n <= 32 && box.sides[0] <= 2 && box.sides[1] <= 2;
  if (is_v7 && is_small && product(box.sides) == std::ssize(places))
    return along(kRingOf2x2Chips, as_listed(n));
  return std::nullopt;
}

/// A set of sides, with the first one as the highest bit.
using SideSet = std::uint32_t;

constexpr SideSet bit_of(std::size_t side) {
  return SideSet{1} << (kNumSides - 1 - side);
}

std::int64_t product_of(SideSet set, const TorusPlace& sides) {
  std::int64_t out = 1;
  for (std::size_t i = 0; i < kNumSides; ++i)
    out *= (set & bit_of(i)) != 0 ? sides[i] : 1;
  return out;
}

/// Returns the free sides whose product is `size`. Prefers more sides, whose links work in
/// parallel, then earlier sides. Empty if no set fits.
SideSet best_set(std::int64_t size, SideSet free, const TorusPlace& sides) {
  SideSet best = 0;
  for (SideSet set = 1; set <= free; ++set) {
    const bool fits = (set & ~free) == 0 && product_of(set, sides) == size;
    if (fits && std::pair(std::popcount(set), set) > std::pair(std::popcount(best), best))
      best = set;
  }
  return best;
}

/// Returns the sides of the box in the order in which the mesh axes take them. If an axis finds no
/// sides, returns nullopt and sets `misfit`.
std::optional<std::vector<std::size_t>> shared_out(std::span<const std::int64_t> sizes,
                                                   const TorusPlace& sides,
                                                   std::string& misfit) {
  SideSet free = 0;
  for (std::size_t i = 0; i < kNumSides; ++i)
    free |= sides[i] > 1 ? bit_of(i) : 0;
  std::vector<std::size_t> out;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (sizes[axis] == 1) continue;
    const SideSet taken = best_set(sizes[axis], free, sides);
    if (taken == 0) {
      misfit = str("size ", sizes[axis], " of axis ", axis,
                   " is not a product of whole sides of the torus ", sides_text(sides),
                   axis + 1 < sizes.size() ? " left by later axes" : "");
      return std::nullopt;
    }
    free &= ~taken;
    for (std::size_t i = kNumSides; i-- > 0;)
      if ((taken & bit_of(i)) != 0) out.insert(out.begin(), i);
  }
  return out;
}

/// Returns the device at each point of the box, with the last side varying fastest. If one is
/// missing, returns an empty order and sets `misfit`.
Order grid_of(std::span<const TorusPlace> places, const Box& box, std::string& misfit) {
  constexpr std::int64_t kNone = -1;
  Order out;
  // Checked first, since the bounding box of distant chips may be too large to allocate.
  const bool can_be_full = product(box.sides) == std::ssize(places);
  if (can_be_full) out.assign(places.size(), kNone);
  for (std::size_t device = 0; device < out.size(); ++device) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < kNumSides; ++i)
      at = at * box.sides[i] + places[device][i] - box.first[i];
    out[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(device);
  }
  if (can_be_full && std::ranges::find(out, kNone) == out.end()) return out;
  misfit = str("the devices do not fill a box: ", places.size(), " within ", sides_text(box.sides));
  return {};
}

/// Traverses the box with the last of these sides varying fastest.
Order walk(const Order& grid, const TorusPlace& box, const std::vector<std::size_t>& sides) {
  TorusPlace strides{1, 1, 1, 1};
  for (std::size_t i = kNumSides - 1; i-- > 0;)
    strides[i] = strides[i + 1] * box[i + 1];
  Order out;
  for (std::int64_t position = 0; position < std::ssize(grid); ++position) {
    std::int64_t rest = position, at = 0;
    for (std::size_t i = sides.size(); i-- > 0;) {
      at += rest % box[sides[i]] * strides[sides[i]];
      rest /= box[sides[i]];
    }
    out.push_back(grid[static_cast<std::size_t>(at)]);
  }
  return out;
}

}  // namespace

TorusOrder torus_order(std::string_view kind,
                       std::span<const TorusPlace> places,
                       std::span<const std::int64_t> sizes) {
  MW_CHECK(!places.empty() && product(sizes) == std::ssize(places), "mesh: ", product(sizes),
           " positions for ", places.size(), " devices");
  TorusOrder out{.devices = as_listed(places.size()), .misfit = {}};
  if (places.size() == 1) return out;
  if (std::optional<Order> ring = ring_by_hand(kind, places, sizes)) {
    out.devices = *ring;
    return out;
  }
  const Box box = box_around(places);
  const Order grid = grid_of(places, box, out.misfit);
  if (grid.empty()) return out;
  if (auto sides = shared_out(sizes, box.sides, out.misfit))
    out.devices = walk(grid, box.sides, *sides);
  return out;
}

}  // namespace meshwright::mesh
