// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/mesh_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames = {"data", "model"};

TEST(MakeMesh, InfersOneSize) {
  EXPECT_EQ(make_mesh(kNames, {.inner = {std::nullopt, 2}}, 8), Mesh({{"data", 4}, {"model", 2}}));
  EXPECT_EQ(make_mesh(kNames, {.inner = {8, std::nullopt}}, 8), Mesh({{"data", 8}, {"model", 1}}));
}

TEST(MakeMesh, RefusesSizesThatDoNotFit) {
  EXPECT_THAT(message_of([] {
                make_mesh(kNames, {.inner = {4, 4}}, 8);
              }),
              HasSubstr("4x4 needs 16 devices, but there are 8"));
  EXPECT_THAT(message_of([] {
                make_mesh(kNames, {.inner = {std::nullopt, 3}}, 8);
              }),
              HasSubstr("8 devices cannot be split across mesh axes auto \u00d7 3"));
  EXPECT_THAT(message_of([] {
                make_mesh(kNames, {.inner = {std::nullopt, 2}}, 1);
              }),
              HasSubstr("1 device cannot be split across mesh axes auto \u00d7 2"));
  EXPECT_THAT(message_of([] {
                make_mesh(kNames, {.inner = {std::nullopt, std::nullopt}}, 8);
              }),
              HasSubstr("2 sizes \"auto\""));
  EXPECT_THAT(message_of([] { make_mesh(kNames, {.inner = {8}}, 8); }),
              HasSubstr("one size per axis of [data,model]"));
  EXPECT_THROW(make_mesh(kNames, {.inner = {0, 8}}, 8), Error);
}

TEST(PlaceMesh, CutsTheFirstAxisOverTheGranules) {
  // Devices of two processes, listed alternately.
  std::vector<std::int64_t> granules = {0, 1, 0, 1, 0, 1, 0, 1};
  PlacedMesh placed = place_mesh(kNames, {.inner = {4, 2}}, granules);
  EXPECT_EQ(placed.mesh, Mesh({{"data", 4}, {"model", 2}}));
  EXPECT_THAT(placed.devices, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(PlaceMesh, SkipsAxesOfOneDevice) {
  std::vector<std::int64_t> granules = {0, 0, 1, 1};
  PlacedMesh placed = place_mesh(kNames, {.inner = {1, 4}}, granules);
  EXPECT_THAT(placed.devices, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(message_of([&] {
                place_mesh({"a", "b"}, {.inner = {1, 3}}, std::vector<std::int64_t>{0, 1, 2});
              }),
              testing::Eq("no error"));
}

TEST(PlaceMesh, AnAxisThatDoesNotDivideOverTheGranulesIsAnError) {
  std::vector<std::int64_t> granules = {0, 0, 0, 1, 1, 1};
  EXPECT_THAT(message_of([&] {
                place_mesh(kNames, {.inner = {3, 2}}, granules);
              }),
              HasSubstr("size 3 of axis 0 is not divisible by the 2 granules"));
  EXPECT_THAT(message_of([&] {
                place_mesh(kNames, {.inner = {3, 1}}, std::vector<std::int64_t>{0, 0, 1});
              }),
              HasSubstr("different numbers of devices"));
}

TEST(PlaceMesh, AnOuterShapeSaysWhatCrossesGranules) {
  std::vector<std::int64_t> granules = {0, 0, 0, 0, 1, 1, 1, 1};
  PlacedMesh placed = place_mesh(kNames, {.inner = {2, 2}, .outer = {1, std::nullopt}}, granules);
  EXPECT_EQ(placed.mesh, Mesh({{"data", 2}, {"model", 4}}));
  EXPECT_THAT(placed.devices, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(message_of([&] {
                place_mesh(kNames, {.inner = {2, 2}, .outer = {1, 4}}, granules);
              }),
              HasSubstr("1x4 needs 4 granules, but there are 2"));
}

// Two slices of 2x4 chips, listed alternately.
TEST(PlaceMesh, FollowsTheTorusOfEachGranule) {
  std::vector<std::int64_t> granules;
  Torus torus{.kind = "TPU v4", .places = {}};
  for (std::int64_t device = 0; device < 16; ++device) {
    granules.push_back(device % 2);
    torus.places.push_back({device / 2 % 2, device / 4, 0, 0});
  }
  PlacedMesh placed = place_mesh(kNames, {.inner = {4, 4}}, granules, torus);
  EXPECT_EQ(placed.misfit, "");
  EXPECT_THAT(placed.devices, ElementsAre(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15));
  placed = place_mesh(kNames, {.inner = {8, 2}}, granules, torus);
  EXPECT_THAT(placed.devices, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
  placed = place_mesh({"a", "b", "c"}, {.inner = {4, 2, 2}}, granules, torus);
  EXPECT_EQ(
      placed.misfit,
      "size 2 of axis 1 is not a product of whole sides of the torus 2x4x1 left by later axes");
  EXPECT_THAT(placed.devices, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
}

TEST(ChooseMesh, HasThreeOutcomes) {
  MeshShape configured{.inner = {8, 1}}, tpu{.inner = {std::nullopt, 4}};
  std::vector<MeshRule> rules = {{Regex("tpu-v4-(64|128)"), tpu}, {Regex("tpu-.*"), std::nullopt}};
  MeshChoice first = choose_mesh(configured, rules, "tpu-v4-128");
  EXPECT_EQ(first.shape, tpu);
  EXPECT_EQ(first.matched, "tpu-v4-(64|128)");
  MeshChoice taken_away = choose_mesh(configured, rules, "tpu-v4-1280");
  EXPECT_EQ(taken_away.shape, std::nullopt);
  EXPECT_EQ(taken_away.matched, "tpu-.*");
  MeshChoice kept = choose_mesh(configured, rules, "gpu");
  EXPECT_EQ(kept.shape, configured);
  EXPECT_EQ(kept.matched, std::nullopt);
  EXPECT_EQ(choose_mesh(configured, rules, std::nullopt).shape, configured);
}

TEST(PlaceMesh, ProcessAxesTakeNoDevicesOfThisProcess) {
  using enum AxisKind;
  const Mesh expected({{"data", 1, process}, {"model", 8}});
  MeshShape shape{.inner = {std::nullopt, 8}, .kinds = {process, inner}};
  EXPECT_EQ(make_mesh(kNames, shape, 8), expected);
  shape.inner = {1, std::nullopt};
  EXPECT_EQ(make_mesh(kNames, shape, 8), expected);
  shape.inner = {2, 4};
  EXPECT_THAT(message_of([&] { make_mesh(kNames, shape, 8); }),
              testing::AllOf(HasSubstr("process axis 'data' has size 2"),
                             HasSubstr("\nmake its size 1 or \"auto\"")));
  shape.kinds = {process};
  EXPECT_THAT(message_of([&] { make_mesh(kNames, shape, 8); }), HasSubstr("one size per axis"));
}

}  // namespace
}  // namespace meshwright::mesh
