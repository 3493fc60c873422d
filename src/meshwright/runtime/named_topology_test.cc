// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/named_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::runtime {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

TEST(NamedTopology, TakesGridsAndNumbersOfChips) {
  EXPECT_EQ(named_topology("v5p:4x4x4").options.name, "v5p:4x4x4");
  EXPECT_EQ(named_topology("v5p:64").options.name, "v5p:4x4x4");
  EXPECT_EQ(named_topology("v5p:4").options.name, "v5p:2x2x1");
  EXPECT_EQ(named_topology("v5e:16").options.name, "v5e:4x4");
  EXPECT_EQ(named_topology("v5e:8").options.name, "v5e:2x4");
  EXPECT_EQ(named_topology("v5e").options.name, "v5e:1x1");
  EXPECT_EQ(named_topology("v5e:16").options.platform, "tpu");
  EXPECT_EQ(named_topology("v5p:4").device_bytes, std::int64_t{95} << 30);
  const std::vector<DeviceInfo> chips = devices_of(named_topology("v5e:2x4"));
  ASSERT_EQ(chips.size(), 8);
  EXPECT_EQ(chips[3].place, (mesh::TorusPlace{1, 1, 0, 0}));
  EXPECT_EQ(chips[7].process, 1);
}

TEST(NamedTopology, TakesHostsAndGpus) {
  const NamedTopology one = named_topology("h100:8"), many = named_topology("h200:2x8");
  EXPECT_EQ(one.options.platform, "cuda");
  EXPECT_THAT(one.options.options, Contains(Pair("topology", "1x1x8")));
  EXPECT_THAT(many.options.options, Contains(Pair("topology", "1x2x8")));
  EXPECT_THAT(many.options.options, Contains(Pair("target_config", HasSubstr("NVIDIA H200"))));
}

TEST(NamedTopology, LeavesAPartOfAGpuToItsLibraries) {
  NamedTopology gpu = named_topology("h100:8"), tpu = named_topology("v5p:4");
  EXPECT_NEAR(static_cast<double>(gpu.usable_bytes()), 0.95 * static_cast<double>(gpu.device_bytes),
              1);
  const std::int64_t before = tpu.usable_bytes();
  for (NamedTopology* each : {&gpu, &tpu})
    set_memory_fraction(*each, 0.5);
  EXPECT_EQ(gpu.usable_bytes(), gpu.device_bytes / 2);
  EXPECT_EQ(tpu.usable_bytes(), before);
}

TEST(NamedTopology, RefusesOtherNames) {
  for (const char* name : {"", "v99:4", "v5p:4x4", "v5e:6", "v5e:4x", "v5e:0", "h100:1x2x3",
                           "h100:-1", "h100:999999999999999999999"})
    EXPECT_THAT(message_of([&] { named_topology(name); }),
                AllOf(HasSubstr("is not known"), HasSubstr("v4, v5e, v5p, v6e, h100, h200")))
        << name;
}

}  // namespace
}  // namespace meshwright::runtime
