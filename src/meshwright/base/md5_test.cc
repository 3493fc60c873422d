// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/md5.h"

#include <gtest/gtest.h>

#include "meshwright/base/hex.h"

namespace meshwright {
namespace {

TEST(Md5, DigestsTheTestSuiteOfItsRfc) {
  EXPECT_EQ(hex(md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hex(md5("a")), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(hex(md5("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Md5, PadsAtEveryLengthAroundABlock) {
  EXPECT_EQ(hex(md5(std::string(55, 'x'))), "04364420e25c512fd958a70738aa8f72");
  EXPECT_EQ(hex(md5(std::string(56, 'x'))), "668a72d5ba17f08e62dabcafad6db14b");
  EXPECT_EQ(hex(md5(std::string(64, 'x'))), "c1bb4f81d892b2d57947682aeb252456");
  EXPECT_EQ(hex(md5(std::string(119, 'x'))), "ab347a5f68c8a443cfcddc633f12c24f");
  EXPECT_EQ(hex(md5(std::string(120, 'x'))), "fb98667f98096de92620b64f46e1c5b5");
}

TEST(Md5, ReadsAsANumberTheWayPythonDoes) {
  Md5 digest = md5("decoder/layers/w_q");
  EXPECT_EQ(hex(digest), "b89982e033fa7baa96fdd332242e75c1");
  EXPECT_EQ(leading_word(digest), 3097068256u);
  EXPECT_EQ(digest_mod(digest, 0x7fffffff), 1725964764u);
}

}  // namespace
}  // namespace meshwright
