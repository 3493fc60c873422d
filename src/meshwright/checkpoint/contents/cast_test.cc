// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/cast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;

TEST(Cast, RoundsFloatsToTheNearest) {
  StoredArray array =
      stored_value(HostTensor::from<float>({1.0F, 1.00390625F, 1.005F, -3.0F}, {4}));
  HostTensor read = cast(array, bf16).read();
  EXPECT_EQ(read.type(), (ArrayType{bf16, {4}}));
  // 1.00390625 is halfway between two bf16 values and rounds to the even one.
  EXPECT_THAT(read.to_doubles(), ElementsAre(1.0, 1.0, 1.0078125, -3.0));
}

TEST(Cast, CastsAPartToItsPlace) {
  StoredArray array = stored_value(HostTensor::from<BFloat16>(
      {BFloat16(1.0F), BFloat16(2.0F), BFloat16(3.0F), BFloat16(4.0F)}, {2, 2}));
  EXPECT_THAT(cast(array, f32).read({{0, 2}, {1, 2}}).to_doubles(), ElementsAre(2.0, 4.0));
}

TEST(Cast, TakesWholeNumbersThatFit) {
  StoredArray array = stored_value(HostTensor::from<std::int64_t>({7, -1}, {2}));
  EXPECT_THAT(cast(array, s32).read().values<std::int32_t>(), ElementsAre(7, -1));
  const Error error = thrown_by([&] { cast(array, u32).read(); });
  EXPECT_EQ(error.code(), ErrorCode::data_loss);
  EXPECT_THAT(error.what(), testing::HasSubstr("-1"));
}

TEST(Cast, KeepsFloatsAndWholeNumbersApart) {
  EXPECT_TRUE(can_cast(pred, pred));
  EXPECT_FALSE(can_cast(pred, DType::s8));
  EXPECT_FALSE(can_cast(f32, s32));
  EXPECT_THROW(cast(stored_value(HostTensor::scalar(1.0F)), s32), Error);
}

}  // namespace
}  // namespace meshwright::checkpoint
