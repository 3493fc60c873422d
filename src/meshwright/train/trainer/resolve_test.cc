// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/resolve.h"

#include <gmock/gmock.h>

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::Optional;
using enum Action;

// The order of a config with these orders and T5X's preset, which has both.
OrderConfig order_of(const OrderConfig& own) {
  TrainConfig config;
  config.loop.order = own;
  resolve(config, preset({.name = "t5x"}));
  return config.loop.order;
}

TEST(Resolve, TakesBothOrdersFromThePreset) {
  const OrderConfig order = order_of({});
  EXPECT_EQ(order.boundary, preset({.name = "t5x"}).loop.order.boundary);
  EXPECT_THAT(order.start, Optional(ElementsAre(eval, save, stop, start_trace)));
}

TEST(Resolve, AnOrderOfTheStartLeavesTheOtherBoundariesToThePreset) {
  const OrderConfig order = order_of({.start = {{save, stop}}});
  EXPECT_EQ(order.boundary, preset({.name = "t5x"}).loop.order.boundary);
  EXPECT_THAT(order.start, Optional(ElementsAre(save, stop)));
}

TEST(Resolve, AnOrderOfTheBoundaryAlsoAppliesAtTheStart) {
  const OrderConfig order = order_of({.boundary = {{log, stop}}});
  EXPECT_THAT(order.boundary, Optional(ElementsAre(log, stop)));
  EXPECT_EQ(order.start, std::nullopt);
}

}  // namespace
}  // namespace meshwright::train
