// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/compile_options.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/hex.h"

namespace meshwright::pjrt {
namespace {

std::string hex(const std::string& bytes) {
  return meshwright::hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

TEST(CompileOptions, WritesTheDevicesOfEachPartition) {
  // 2 replicas x 2 partitions; partition 0 runs on devices 7 and 5, partition 1 on 6 and 4.
  std::string bytes =
      hex(serialize({.num_replicas = 2, .num_partitions = 2, .device_ids = {7, 6, 5, 4}}));
  EXPECT_THAT(bytes, testing::HasSubstr("4a"
                                        "10"
                                        "0802"
                                        "1002"
                                        "1a040a020705"
                                        "1a040a020604"));
}

TEST(CompileOptions, NumbersDevicesByDefault) {
  EXPECT_THAT(CompileOptions{.num_partitions = 3}.device_assignment(),
              testing::ElementsAre(0, 1, 2));
}

TEST(CompileOptions, RefusesDevicesThatDoNotFit) {
  EXPECT_THROW(serialize({.num_partitions = 2, .device_ids = {0, 1, 2}}), Error);
  EXPECT_THROW(serialize({.num_partitions = 0}), Error);
}

}  // namespace
}  // namespace meshwright::pjrt
