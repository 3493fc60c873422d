// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/float_cast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FloatCast, RoundsToTheNearest) {
  const HostTensor wide = HostTensor::from<float>({1.0F, 1.00390625F, 1.01171875F, -3.0F}, {2, 2});
  const HostTensor narrow = float_cast(wide, bf16);
  EXPECT_EQ(narrow.type(), (ArrayType{bf16, {2, 2}}));
  EXPECT_THAT(narrow.to_doubles(), ElementsAre(1.0, 1.0, 1.015625, -3.0));  // ties to even
  EXPECT_THAT(float_cast(narrow, f64).to_doubles(), ElementsAre(1.0, 1.0, 1.015625, -3.0));
  EXPECT_THAT(float_cast(wide, DType::f16).to_doubles(),
              ElementsAre(1.0, 1.00390625, 1.01171875, -3.0));
}

TEST(FloatCast, OfTheSameDtypeCopiesNothing) {
  const HostTensor x = HostTensor::from<float>({1.0F}, {1});
  EXPECT_EQ(float_cast(x, f32).data(), x.data());
}

TEST(FloatCast, RefusesWhatIsNoFloat) {
  const HostTensor x = HostTensor::from<std::int32_t>({1}, {1});
  EXPECT_THAT(message_of([&] { float_cast(x, f32); }), HasSubstr("s32[1] to f32"));
}

}  // namespace
}  // namespace meshwright
