// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/proto_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/proto_writer.h"

namespace meshwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ProtoWriter message() {
  ProtoWriter packed, out;
  packed.raw_varint(3);
  packed.raw_varint(300);
  out.int64(1, -2);
  out.bytes(2, "text");
  out.float64(3, 1.5);
  out.float32(4, -0.5);
  out.bytes(500, packed.str());
  out.boolean(500, true);
  return out;
}

TEST(ProtoReader, GivesWhatWasWritten) {
  const std::string bytes = message().str();
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
  const std::string bytes = message().str();
  ProtoWriter copy;
  for (const ProtoField& field : read_proto(bytes))
    copy.raw(field.raw);
  EXPECT_EQ(copy.str(), bytes);
}

TEST(ProtoReader, RefusesWhatIsCutOffAnywhereWithinAField) {
  ProtoWriter out;
  out.bytes(2, "text");
  for (std::size_t size = 1; size < out.str().size(); ++size)
    EXPECT_THAT(message_of([&] { read_proto(std::string_view(out.str()).substr(0, size)); }),
                HasSubstr("protocol buffer"))
        << size;
  EXPECT_THAT(message_of([] { read_proto("\x0b"); }), HasSubstr("no wire type 3"));
  EXPECT_THAT(message_of([] { read_proto(std::string(11, '\xff')); }), HasSubstr("cut off"));
}

}  // namespace
}  // namespace meshwright
