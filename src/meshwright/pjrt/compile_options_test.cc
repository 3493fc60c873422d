// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/compile_options.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/hex.h"
#include "meshwright/base/proto_writer.h"

namespace meshwright::pjrt {
namespace {

std::string hex(const std::string& bytes) {
  return meshwright::hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

// The examples of the protocol-buffer encoding guide, and the largest varint.
TEST(ProtoWriter, WritesTheWireFormat) {
  ProtoWriter a;
  a.varint(1, 150);
  EXPECT_EQ(hex(a.str()), "089601");
  ProtoWriter b;
  b.bytes(2, "testing");
  EXPECT_EQ(hex(b.str()), "120774657374696e67");
  ProtoWriter c;
  c.int64(1, -1);
  EXPECT_EQ(hex(c.str()), "08ffffffffffffffffff01");
  ProtoWriter d;
  d.float64(4, 1.0);
  EXPECT_EQ(hex(d.str()), "21000000000000f03f");
  ProtoWriter e;
  e.boolean(19, true);
  EXPECT_EQ(hex(e.str()), "980101");
  ProtoWriter f;
  f.float32(2, 1.0f);
  EXPECT_EQ(hex(f.str()), "150000803f");
  ProtoWriter g;
  g.packed_float64(6, std::vector{1.0, 0.0});
  EXPECT_EQ(hex(g.str()), "3210000000000000f03f0000000000000000");
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
