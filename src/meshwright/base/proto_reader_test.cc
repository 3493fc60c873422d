// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/proto_reader.h"

#include <array>
#include <bit>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "meshwright/base/base_testutil.h"

namespace meshwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message() {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_int64(1, -2);
  out.add_string(2, "text");
  out.add_double(3, 1.5);
  out.add_float(4, -0.5f);
  const std::array packed = {3, 300};
  out.add_packed_int64(500, packed.begin(), packed.end());
  out.add_bool(500, true);
  return bytes;
}

TEST(ProtoReader, GivesWhatWasWritten) {
  const std::string bytes = message();
  const std::vector<ProtoField> fields = read_proto(bytes);
  ASSERT_EQ(fields.size(), 6u);
  EXPECT_EQ(fields[0].int64(), -2);
  EXPECT_EQ(fields[1].bytes, "text");
  EXPECT_EQ(std::bit_cast<double>(fields[2].value), 1.5);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(fields[3].value)), -0.5f);
  EXPECT_EQ(fields[4].number, 500);
  std::vector<std::int64_t> integers;
  append_integers(fields[4], integers);
  append_integers(fields[5], integers);
  EXPECT_THAT(integers, ElementsAre(3, 300, 1));
}

TEST(ProtoReader, FieldsCanBeWrittenAsTheyStand) {
  const std::string bytes = message();
  std::string copy;
  for (const ProtoField& field : read_proto(bytes))
    copy += field.raw;
  EXPECT_EQ(copy, bytes);
}

TEST(ProtoReader, RefusesWhatIsCutOffAnywhereWithinAField) {
  std::string text;
  protozero::pbf_writer(text).add_string(2, "text");
  for (std::size_t size = 1; size < text.size(); ++size)
    EXPECT_THAT(message_of([&] { read_proto(std::string_view(text).substr(0, size)); }),
                HasSubstr("protocol buffer"))
        << size;
  EXPECT_THAT(message_of([] { read_proto("\x0b"); }), HasSubstr("invalid wire type 3"));
  EXPECT_THAT(message_of([] { read_proto(std::string(11, '\xff')); }),
              HasSubstr("truncated number"));
}

}  // namespace
}  // namespace meshwright
