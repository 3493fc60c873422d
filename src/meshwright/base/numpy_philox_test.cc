// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/numpy_philox.h"

#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright {
namespace {

struct Expected {
  std::int64_t seed;
  std::vector<std::uint64_t> values;
};

// numpy.random.Philox(seed).random_raw(5), NumPy 1.26.4.
const Expected kExpected[] = {
    {0x0,
     {0x399e5b222b82fa9, 0x41fd08c1f00f3bc5, 0x78b8824162ee4d04, 0x176747919e02739d,
      0xfaa88f002a8d3596}},
    {0x1,
     {0x1119efbd6bc0ce3a, 0x143a31df2c79cf7e, 0x17a9bf501e09a0b, 0xce7a7fdfadf3cb3f,
      0x3ebf40fd74b4b457}},
    {0x2a,
     {0x16092f00ecdab98a, 0x243d19cc24021070, 0x4524d130684efe02, 0xdfc0f20c3c4b5bca,
      0x2b8fe7053fb23371}},
    {0x80000000,
     {0xf1353309f22ff6b4, 0x6127cd31a68f1398, 0x8e09f5d08c6cdd0a, 0xe9009e165615a0ac,
      0x40636321e68c960c}},
    {0xffffffff,
     {0x6edc0dc82682cd30, 0xbd48993e460fa028, 0x50d84b9f36020ffb, 0x3aeb3f27e8f210f0,
      0x66baa946e1f57d47}},
    {0x100000000,
     {0x9b7c56721dc8cd50, 0x80f47c00870d0663, 0x6ddd2f0ea3556e93, 0x3979bc76c8cede6a,
      0x5b2af9c4f0617c48}},
    {0x10000000007,
     {0x7c7bd5bd93156bc4, 0xec9281d0a316adb6, 0x68c402a1ad5f3126, 0x9bd512ca4f0310ec,
      0xdcd8f26b1d471a98}},
    {0x7fffffffffffffff,
     {0xd7b472f48b4021b, 0x9fccb8c4fda3c374, 0x5d17a399a18ffa49, 0xfe5fca885ce7d539,
      0xe291cfd945ad113f}},
};

TEST(NumpyPhilox, DrawsWhatNumpyDraws) {
  for (const Expected& expected : kExpected) {
    NumpyPhilox random(expected.seed);
    for (const std::uint64_t value : expected.values)
      EXPECT_EQ(random.next(), value) << expected.seed;
  }
}

TEST(NumpyPhilox, RefusesNegativeSeeds) {
  EXPECT_THROW(NumpyPhilox(-1), Error);
}

}  // namespace
}  // namespace meshwright
