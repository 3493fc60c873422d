// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/safetensors/header.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/base_testutil.h"

namespace meshwright::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Safetensors read(const std::string& bytes) {
  return read_safetensors(*file_in_memory(copied(as_bytes(bytes)), "x"), "x.safetensors");
}

std::string file(const std::string& header, std::size_t num_bytes) {
  std::string out;
  append_number(out, std::uint64_t{header.size()});
  return out + header + std::string(num_bytes, '\0');
}

std::string refusal(const std::string& header, std::size_t num_bytes) {
  return coded_message_of([&] { read(file(header, num_bytes)); });
}

TEST(Safetensors, PlansReadBack) {
  const std::map<std::string, ArrayType> arrays = {
      {"a", {DType::u8, {3}}}, {"b", {f32, {2, 3}}}, {"empty", {f16, {0, 4}}}, {"c", {bf16, {}}}};
  const SafetensorsPlan plan = plan_safetensors(arrays, {{"format", "pt"}});
  EXPECT_EQ(plan.header.size() % 8, 0);
  std::string bytes = plan.header;
  bytes.resize(plan.num_bytes);
  const Safetensors found = read(bytes);
  ASSERT_EQ(found.arrays.size(), arrays.size());
  for (const auto& [name, array] : found.arrays) {
    EXPECT_EQ(array.type, arrays.at(name)) << name;
    EXPECT_EQ(array.place, plan.places.at(name)) << name;
    EXPECT_EQ(array.place.offset % byte_size(array.type.dtype), 0) << name;
  }
  EXPECT_EQ(found.metadata.at("format"), "pt");
}

TEST(Safetensors, ArraysMustFillTheFile) {
  const auto two = [](const char* first, const char* second) {
    return str(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)", first,
               R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)", second, "}}");
  };
  EXPECT_EQ(read(file(two("[0,2]", "[2,4]"), 4)).arrays.size(), 2);
  EXPECT_THAT(refusal(two("[0,2]", "[1,3]"), 4), AllOf(HasSubstr("data loss"), HasSubstr("'b'")));
  EXPECT_THAT(refusal(two("[0,2]", "[3,5]"), 5), HasSubstr("overlap or leave a gap"));
  EXPECT_THAT(refusal(two("[0,2]", "[2,4]"), 3), HasSubstr("ends at 4"));
  EXPECT_THAT(refusal(two("[0,2]", "[2,4]"), 5), HasSubstr("1 bytes follow"));
  EXPECT_THAT(refusal(two("[0,2]", "[4,2]"), 4), HasSubstr("before it begins"));
  EXPECT_THAT(refusal(two("[0,2]", "[2,3]"), 3), HasSubstr("has 1 bytes for u8[2]"));
  EXPECT_THAT(refusal(two("[-1,1]", "[2,4]"), 4), HasSubstr("offset -1"));
}

TEST(Safetensors, HostileHeadersAreRefused) {
  const auto one = [](const char* dtype, const char* shape) {
    return str(R"({"a":{"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":[0,0]}})");
  };
  EXPECT_THAT(refusal(one("Q4", "[0]"), 0), AllOf(HasSubstr("not supported"), HasSubstr("'a'")));
  EXPECT_THAT(refusal(one("F32", "[-1]"), 0), HasSubstr("negative size"));
  EXPECT_THAT(refusal(one("F32", "[4611686018427387904,4611686018427387904]"), 0),
              HasSubstr("elements"));
  EXPECT_THAT(refusal("{", 0), HasSubstr("data loss"));
  EXPECT_THAT(refusal("[]", 0), HasSubstr("data loss"));
  EXPECT_THAT(coded_message_of([] { read("1234567"); }), HasSubstr("too few for a header"));
  EXPECT_THAT(coded_message_of([] { read(std::string(8, '\xff') + "{}"); }),
              HasSubstr("says that its header has"));
  EXPECT_THAT(refusal(R"({"a":1,"a":2})", 0), HasSubstr("data loss"));
}

}  // namespace
}  // namespace meshwright::io
