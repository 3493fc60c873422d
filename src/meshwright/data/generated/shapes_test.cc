// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/shapes.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

TEST(Shapes, BatchesAreAPureFunction) {
  expect_pure(ShapesSource({.batch_size = 4, .seed = 2}), 3);
}

TEST(Shapes, GivesAllClassesInPixelsFromMinusOneToOne) {
  Batch batch = whole_batch(ShapesSource({.batch_size = 200}), 0);
  std::vector<std::int32_t> labels = ints(batch, kLabels);
  EXPECT_EQ((std::set<std::int32_t>(labels.begin(), labels.end())),
            (std::set<std::int32_t>{0, 1, 2, 3}));
  auto pixels = batch.at(kImages).value().values<float>();
  auto [least, most] = std::ranges::minmax(pixels);
  EXPECT_GE(least, -1.0f);
  EXPECT_LE(most, 1.0f);
}

// Without noise an image has two brightness levels, and a square covers more than a cross.
TEST(Shapes, DrawsWhatTheLabelSays) {
  Batch batch = whole_batch(ShapesSource({.batch_size = 400, .size = 32, .noise = 0}), 0);
  auto pixels = batch.at(kImages).value().values<float>();
  std::vector<std::int32_t> labels = ints(batch, kLabels);
  double covered[4] = {};
  for (std::size_t row = 0; row < 400; ++row) {
    auto image = pixels.subspan(row * 1024, 1024);
    ASSERT_EQ((std::set<float>(image.begin(), image.end())).size(), 2u);
    float most = *std::ranges::max_element(image);
    covered[labels[row]] += static_cast<double>(std::ranges::count(image, most));
  }
  EXPECT_GT(covered[0], covered[1] * 0.9);  // a circle of the full radius, a square of 0.85 of it
  EXPECT_GT(covered[1], covered[2]);
  EXPECT_GT(covered[2], covered[3] * 0.7);
}

TEST(Shapes, HeldOutImagesEndAndDoNotDependOnTheSeed) {
  ShapesSource one({.batch_size = 4, .seed = 1, .num_held_out_batches = 3});
  ShapesSource other({.batch_size = 4, .seed = 2, .num_held_out_batches = 3});
  EXPECT_EQ(one.num_batches(), 3);
  EXPECT_TRUE(is_same(whole_batch(one, 0), whole_batch(other, 0)));
  ShapesSource trained_on({.batch_size = 4, .seed = 1});
  EXPECT_EQ(trained_on.num_batches(), std::nullopt);
  EXPECT_FALSE(is_same(whole_batch(one, 0), whole_batch(trained_on, 0)));
}

TEST(Shapes, RefusesImagesThatAreTooSmall) {
  EXPECT_THAT([] { ShapesSource({.batch_size = 4, .size = 7}); }, throws_with("image size is 7"));
}

}  // namespace
}  // namespace meshwright::data
