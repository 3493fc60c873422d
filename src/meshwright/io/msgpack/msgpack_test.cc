// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/msgpack/msgpack.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/io/msgpack/write.h"

namespace meshwright::io {
namespace {

using testing::HasSubstr;

Msgpack parse(const std::string& bytes) {
  return parse_msgpack(*file_in_memory(copied(as_bytes(bytes)), "x"), "x");
}
std::string refusal(const std::string& bytes) {
  return coded_message_of([&] { parse(bytes); });
}

TEST(Msgpack, IntegersReadBack) {
  constexpr std::int64_t kLeast = INT64_MIN;
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{127}, std::int64_t{128}, std::int64_t{255},
        std::int64_t{256}, std::int64_t{65535}, std::int64_t{65536}, std::int64_t{1} << 32,
        INT64_MAX, std::int64_t{-1}, std::int64_t{-32}, std::int64_t{-33}, std::int64_t{-128},
        std::int64_t{-129}, std::int64_t{-32769}, -(std::int64_t{1} << 31) - 1, kLeast}) {
    std::string bytes;
    append_msgpack_integer(bytes, value);
    const Msgpack found = parse(bytes);
    ASSERT_NE(found.find_as<std::int64_t>(), nullptr) << value;
    EXPECT_EQ(*found.find_as<std::int64_t>(), value);
  }
}

TEST(Msgpack, TreesReadBack) {
  for (const std::int64_t size : {0, 1, 3, 100, 70'000}) {
    HostTensor array(ArrayType{DType::u8, {size}});
    std::string bytes;
    append_msgpack_map(bytes, 2);
    append_msgpack_text(bytes, std::string(static_cast<std::size_t>(size % 1000), 'n'));
    append_msgpack_array(bytes, array);
    append_msgpack_text(bytes, "other");
    append_msgpack_nil(bytes);
    const Msgpack found = parse(bytes);
    ASSERT_EQ(found.as_map().size(), 2);
    const auto* stored = found.as_map()[0].second.find_as<MsgpackArray>();
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->type, array.type());
    EXPECT_NE(found.find("other")->find_as<Msgpack::Nil>(), nullptr);
  }
}

TEST(Msgpack, HostileBytesAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("data loss"));
  EXPECT_THAT(refusal("\x01\x02"), HasSubstr("1 bytes follow"));
  EXPECT_THAT(refusal(std::string(100'000, '\x91')), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal("\xdd\xff\xff\xff\xff"), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("\xdf\xff\xff\xff\xff"), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("\xdb\xff\xff\xff\xff"), HasSubstr("only 0 follow"));
  EXPECT_THAT(refusal("\x82\xa1"
                      "a\x01\xa1"
                      "a\x02"),
              HasSubstr("occurs twice"));
  EXPECT_THAT(refusal("\xc1"), HasSubstr("not one that flax writes"));
  EXPECT_THAT(refusal(std::string("\xd4\x07\x00", 3)), HasSubstr("unknown extension type 7"));
  EXPECT_THAT(refusal("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), HasSubstr("exceeds 63 bits"));
  std::string array;
  append_msgpack_array(array, HostTensor::scalar(1.0F));
  for (std::size_t size = 0; size < array.size(); ++size)
    EXPECT_THAT(refusal(array.substr(0, size)), HasSubstr("data loss")) << size;
}

}  // namespace
}  // namespace meshwright::io
