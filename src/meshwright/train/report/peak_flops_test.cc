// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/peak_flops.h"

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

TEST(PeakFlops, AreKnownByKindOfDevice) {
  EXPECT_EQ(peak_flops("NVIDIA A100-SXM4-80GB"), 312e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 80GB HBM3"), 989e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 PCIe"), 756e12);
  EXPECT_EQ(peak_flops("NVIDIA H200"), 989e12);
  EXPECT_EQ(peak_flops("TPU v5 lite"), 197e12);
  EXPECT_EQ(peak_flops("TPU v5p"), 459e12);
}

TEST(PeakFlops, OfOtherDevicesAreUnknownAndNotSmall) {
  EXPECT_EQ(peak_flops("cpu"), std::nullopt);
  EXPECT_EQ(peak_flops("NVIDIA GeForce GTX 1080"), std::nullopt);
}

}  // namespace
}  // namespace meshwright::train
