// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/torus.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Sizes = std::vector<std::int64_t>;

/// Returns all places of a box in the order of plugins: x varies fastest, and cores of a chip are
/// adjacent.
std::vector<TorusPlace> box(std::int64_t x,
                            std::int64_t y,
                            std::int64_t z,
                            std::int64_t cores = 1) {
  std::vector<TorusPlace> out;
  for (std::int64_t i = 0; i < x * y * z * cores; ++i)
    out.push_back({i / cores % x, i / cores / x % y, i / cores / x / y, i % cores});
  return out;
}

Sizes in_order(std::size_t n) {
  Sizes out(n);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// Returns the number of torus links between two chips.
std::int64_t num_links(const TorusPlace& a, const TorusPlace& b, const TorusPlace& sides) {
  std::int64_t out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t straight = std::abs(a[i] - b[i]);
    out += std::min(straight, sides[i] - straight);
  }
  return out;
}

/// Returns the largest number of links between adjacent positions along this axis, including the
/// wraparound.
std::int64_t worst_step(const std::vector<TorusPlace>& places,
                        const TorusPlace& sides,
                        const Sizes& sizes,
                        std::size_t axis) {
  const Sizes order = torus_order("TPU v4", places, sizes).devices;
  std::size_t stride = 1;
  for (std::size_t i = axis + 1; i < sizes.size(); ++i)
    stride *= static_cast<std::size_t>(sizes[i]);
  const auto size = static_cast<std::size_t>(sizes[axis]);
  std::int64_t worst = 0;
  for (std::size_t here = 0; here < order.size(); ++here) {
    const std::size_t along = here / stride % size;
    const std::size_t next = here - along * stride + (along + 1) % size * stride;
    worst = std::max(worst, num_links(places[static_cast<std::size_t>(order[here])],
                                      places[static_cast<std::size_t>(order[next])], sides));
  }
  return worst;
}

TEST(TorusOrder, NeighboursAlongAMeshAxisAreNeighboursOfTheTorus) {
  for (const Sizes& sizes : {Sizes{4, 6, 8}, {8, 4, 6}, {6, 1, 8, 4}, {8, 6, 4}}) {
    std::vector<TorusPlace> places = box(4, 6, 8);
    ASSERT_THAT(torus_order("TPU v4", places, sizes).misfit, IsEmpty());
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      EXPECT_EQ(worst_step(places, {4, 6, 8, 1}, sizes, axis), sizes[axis] == 1 ? 0 : 1);
  }
}

TEST(TorusOrder, TheOrderGivenDoesNotMatter) {
  std::vector<TorusPlace> places = box(2, 4, 8);
  const Sizes there = torus_order("TPU v4", places, Sizes{8, 8}).devices;
  std::vector<TorusPlace> reversed(places.rbegin(), places.rend());
  const Sizes back = torus_order("TPU v4", reversed, Sizes{8, 8}).devices;
  for (std::size_t i = 0; i < there.size(); ++i)
    EXPECT_EQ(places[static_cast<std::size_t>(there[i])],
              reversed[static_cast<std::size_t>(back[i])]);
}

TEST(TorusOrder, AnAxisTakesAsManySidesAsMakeUpItsSize) {
  // The last axis takes the two sides of 4 rather than the one of 16, with z varying fastest.
  std::vector<TorusPlace> places = box(16, 4, 4);
  const Sizes order = torus_order("TPU v4", places, Sizes{16, 16}).devices;
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(places[static_cast<std::size_t>(order[i])],
              (TorusPlace{at / 16, at / 4 % 4, at % 4, 0}));
  }
}

TEST(TorusOrder, BoxesNeedNotBeginAtZero) {
  std::vector<TorusPlace> places = box(4, 2, 2), moved = places;
  for (TorusPlace& place : moved)
    place = {place[0] + 4, place[1] + 2, place[2] + 6, place[3]};
  EXPECT_EQ(torus_order("TPU v4", moved, Sizes{4, 4}).devices,
            torus_order("TPU v4", places, Sizes{4, 4}).devices);
}

TEST(TorusOrder, DevicesOfAChipAreASide) {
  EXPECT_THAT(torus_order("TPU v4", box(4, 2, 1, 2), Sizes{4, 4}).devices,
              ElementsAre(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
}

TEST(TorusOrder, SmallMachinesHaveRings) {
  for (const char* kind : {"TPU v5 lite", "TPU v6 lite"}) {
    EXPECT_THAT(torus_order(kind, box(2, 2, 1), Sizes{4}).devices, ElementsAre(0, 1, 3, 2));
    EXPECT_THAT(torus_order(kind, box(4, 2, 1), Sizes{2, 4}).devices,
                ElementsAre(0, 1, 2, 3, 7, 6, 5, 4));
  }
  EXPECT_THAT(torus_order("TPU v3", box(2, 2, 1, 2), Sizes{8}).devices,
              ElementsAre(0, 1, 2, 3, 6, 7, 4, 5));
  const std::vector<TorusPlace> places = box(4, 4, 1);
  const Sizes ring = torus_order("TPU v5 lite", places, Sizes{1, 16}).devices;
  for (std::size_t i = 0; i < ring.size(); ++i)
    EXPECT_EQ(num_links(places[static_cast<std::size_t>(ring[i])],
                        places[static_cast<std::size_t>(ring[(i + 1) % 16])], {16, 16, 1, 1}),
              1);
}

TEST(TorusOrder, SizesThatAreNoWholeSidesKeepTheOrder) {
  std::vector<TorusPlace> places = box(4, 4, 4);
  TorusOrder order = torus_order("TPU v4", places, Sizes{8, 2, 4});
  EXPECT_EQ(order.devices, in_order(64));
  EXPECT_EQ(
      order.misfit,
      "size 2 of axis 1 is not a product of whole sides of the torus 4x4x4 left by later axes");
  EXPECT_EQ(torus_order("TPU v4", places, Sizes{2, 32}).misfit,
            "size 32 of axis 1 is not a product of whole sides of the torus 4x4x4");
}

TEST(TorusOrder, ABoxWithHolesKeepsTheOrder) {
  std::vector<TorusPlace> places = box(2, 2, 2);
  places[7] = places[6];
  TorusOrder twice = torus_order("TPU v4", places, Sizes{8});
  EXPECT_EQ(twice.devices, in_order(8));
  EXPECT_EQ(twice.misfit, "the devices do not fill a box: 8 within 2x2x2");
  places[7] = {5, 0, 0, 1};
  EXPECT_EQ(torus_order("TPU7x", places, Sizes{8}).misfit,
            "the devices do not fill a box: 8 within 6x2x2, 2 devices per chip");
}

TEST(TorusOrder, OtherNumbersOfPositionsAreAnError) {
  EXPECT_THAT(message_of([] { torus_order("TPU v4", box(2, 2, 1), Sizes{8}); }),
              HasSubstr("8 positions for 4 devices"));
  EXPECT_THAT(message_of([] { torus_order("TPU v4", {}, Sizes{0}); }),
              HasSubstr("0 positions for 0 devices"));
}

}  // namespace
}  // namespace meshwright::mesh
