// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gtest/gtest.h>

#include "meshwright/tensor/host_tensor.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright {
namespace {

TEST(DType, NamesReadBack) {
  for (DType dtype : kAllDTypes) {
    EXPECT_EQ(find_dtype(dtype_name(dtype)), dtype);
    EXPECT_EQ(find_dtype(stablehlo_name(dtype)), dtype);
  }
  EXPECT_EQ(find_dtype("float32"), f32);
  EXPECT_EQ(find_dtype("complex64"), std::nullopt);
}

TEST(Shape, CountsAndPrints) {
  ArrayType type{bf16, {8, 128, 512}};
  EXPECT_EQ(to_string(type), "bf16[8,128,512]");
  EXPECT_EQ(type.num_bytes(), 2 * 8 * 128 * 512);
  EXPECT_EQ(num_elements({}), 1);
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Dims{12, 4, 1}));
}

TEST(Shape, RefusesOverflowAndNegativeSizes) {
  EXPECT_THROW(num_elements({std::int64_t{1} << 40, std::int64_t{1} << 40}), Error);
  EXPECT_THROW(num_elements({-1}), Error);
}

TEST(HostTensor, RefusesAnotherElementType) {
  HostTensor tensor = HostTensor::from<float>({1, 2}, {2});
  EXPECT_THROW(tensor.values<double>(), Error);
  EXPECT_THROW(HostTensor::from<float>({1, 2}, {3}), Error);
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(static_cast<float>(BFloat16(1.00390625f)), 1.0f);
  EXPECT_EQ(static_cast<float>(BFloat16(1.01171875f)), 1.015625f);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
  EXPECT_EQ(static_cast<float>(Half(65504.0f)), 65504.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(Half(70000.0f))));
}

TEST(HostTensor, ReadsSmallTypesAsDoubles) {
  HostTensor fp8(ArrayType{DType::f8e4m3fn, {3}});
  fp8.mutable_data()[0] = std::byte{0x7e};  // the largest finite value
  fp8.mutable_data()[1] = std::byte{0xb8};
  fp8.mutable_data()[2] = std::byte{0x01};
  EXPECT_EQ(fp8.to_doubles(), (std::vector<double>{448, -1, 0x1p-9}));
  HostTensor nibbles(ArrayType{DType::s4, {2}});
  nibbles.mutable_data()[0] = std::byte{0x0f};
  nibbles.mutable_data()[1] = std::byte{0x07};
  EXPECT_EQ(nibbles.to_doubles(), (std::vector<double>{-1, 7}));
}

TEST(UninitializedTensor, HasRoomForAllItsElements) {
  for (std::int64_t size : {0, 1, 1000, 5 << 20}) {
    HostTensor tensor = uninitialized_tensor({f32, {size}});
    EXPECT_EQ(tensor.dims(), (Dims{size}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0u);
    for (float& value : tensor.mutable_values<float>())
      value = 1;
  }
}

}  // namespace
}  // namespace meshwright
