// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/resolve.h"

#include <gmock/gmock.h>

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::Optional;
using enum Action;

// A preset with an order of its own at the start, as T5X has.
Preset with_both_orders() {
  Preset out = default_preset();
  out.loop.order.boundary = {{stop_trace, log, save, eval, stop, start_trace}};
  out.loop.order.start = {{eval, save, stop, start_trace}};
  return out;
}

// Returns the order of a config that sets `own`, resolved with that preset.
OrderConfig order_of(const OrderConfig& own) {
  TrainConfig config;
  config.loop.order = own;
  resolve(config, with_both_orders());
  return config.loop.order;
}

TEST(Resolve, TakesBothOrdersFromThePreset) {
  const OrderConfig order = order_of({});
  EXPECT_EQ(order.boundary, with_both_orders().loop.order.boundary);
  EXPECT_THAT(order.start, Optional(ElementsAre(eval, save, stop, start_trace)));
}

TEST(Resolve, AnOrderOfTheStartLeavesTheOtherBoundariesToThePreset) {
  const OrderConfig order = order_of({.start = {{save, stop}}});
  EXPECT_EQ(order.boundary, with_both_orders().loop.order.boundary);
  EXPECT_THAT(order.start, Optional(ElementsAre(save, stop)));
}

TEST(Resolve, AnOrderOfTheBoundaryAlsoAppliesAtTheStart) {
  const OrderConfig order = order_of({.boundary = {{log, stop}}});
  EXPECT_THAT(order.boundary, Optional(ElementsAre(log, stop)));
  EXPECT_EQ(order.start, std::nullopt);
}

}  // namespace
}  // namespace meshwright::train
