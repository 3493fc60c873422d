// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_description.h"

#include <gtest/gtest.h>

namespace meshwright::runtime {
namespace {

using Numbers = std::vector<std::int64_t>;

DeviceInfo described(const std::vector<pjrt::NamedValue>& attributes) {
  DeviceInfo info;
  describe_tpu(attributes, info);
  return info;
}

TEST(TpuAttributes, SaySliceAndPlace) {
  DeviceInfo info = described({{"core_on_chip", std::int64_t{1}},
                               {"coords", Numbers{2, 3, 0}},
                               {"slice_index", std::int64_t{4}}});
  EXPECT_EQ(info.slice, 4);
  EXPECT_EQ(info.place, (mesh::TorusPlace{2, 3, 0, 1}));
}

TEST(TpuAttributes, MayLackSliceAndCore) {
  DeviceInfo info = described({{"coords", Numbers{2, 3, 1}}});
  EXPECT_EQ(info.slice, 0);
  EXPECT_EQ(info.place, (mesh::TorusPlace{2, 3, 1, 0}));
}

TEST(TpuAttributes, WithoutThreeCoordinatesThereIsNoPlace) {
  EXPECT_EQ(described({}).place, std::nullopt);
  EXPECT_EQ(described({{"coords", Numbers{2, 3}}}).place, std::nullopt);
  EXPECT_EQ(described({{"coords", std::string("2,3,1")}}).place, std::nullopt);
}

TEST(GpuAttributes, SayTheComputeCapability) {
  const auto read = [](const std::string& text) {
    return compute_capability({{"compute_capability", text}});
  };
  EXPECT_EQ(read("9.0"), 90);
  EXPECT_EQ(read("10.3"), 103);
  EXPECT_EQ(read("8.9"), 89);
  EXPECT_EQ(read("?"), 0);
  EXPECT_EQ(compute_capability({}), 0);
}

}  // namespace
}  // namespace meshwright::runtime
