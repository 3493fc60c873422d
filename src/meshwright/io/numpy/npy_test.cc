// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/numpy/npy.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/numpy/zip.h"

namespace meshwright::io {
namespace {

using testing::HasSubstr;

NpyHeader parse(const std::string& header, std::uint64_t num_elements_bytes) {
  return parse_npy_header(as_bytes(header), header.size() + num_elements_bytes, "x");
}

TEST(Npy, HeadersReadBack) {
  for (const ArrayType& type :
       {ArrayType{f32, {}}, ArrayType{bf16, {3}}, ArrayType{DType::u8, {2, 3}},
        ArrayType{pred, {0, 4}}, ArrayType{f64, {1, 2, 3, 4}}}) {
    const std::string header = npy_header(type);
    EXPECT_EQ(header.size() % 64, 0) << header;
    const NpyHeader found = parse(header, static_cast<std::uint64_t>(type.num_bytes()));
    EXPECT_EQ(found.type, type);
    EXPECT_EQ(found.num_bytes, header.size());
    EXPECT_FALSE(found.is_column_major || found.is_big_endian);
  }
  EXPECT_THAT(coded_message_of([] {
                npy_header({DType::f8e5m2, {}});
              }),
              HasSubstr("unimplemented"));
}

TEST(Npy, OtherOrdersAreRead) {
  std::string header = npy_header({f32, {2, 3}});
  header.replace(header.find("False"), 5, "True ");
  header.replace(header.find('<'), 1, ">");
  const NpyHeader found = parse(header, 24);
  EXPECT_TRUE(found.is_column_major);
  EXPECT_TRUE(found.is_big_endian);
}

TEST(Npy, DamagedHeadersAreRefused) {
  const std::string header = npy_header({f32, {2, 3}});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = header;
    changed.replace(changed.find(from), from.size(), to);
    return coded_message_of([&] { parse(changed, 24); });
  };
  EXPECT_THAT(with("<f4", "<c8"), HasSubstr("unimplemented"));
  EXPECT_THAT(with("(2, 3)", "(2, x)"), HasSubstr("its shape is"));
  EXPECT_THAT(with("(2, 3)", "(2, 4)"), HasSubstr("has 24 bytes of elements"));
  EXPECT_THAT(with("False", "Maybe"), HasSubstr("not a boolean"));
  for (std::size_t size = 0; size < header.size(); ++size)
    EXPECT_THAT(coded_message_of([&] { parse(header.substr(0, size), 24); }),
                HasSubstr("data loss"))
        << size;
}

TEST(Zip, ArchivesOfSeveralMembersReadBack) {
  std::string archive;
  std::vector<ZipMember> members;
  for (const std::string content : {"first", "", "the third"}) {
    ZipMember member{.name = str("m", members.size(), "/x.npy")};
    member.offset = archive.size() + zip_header_bytes(member.name);
    member.num_bytes = member.num_stored = content.size();
    member.crc = zip_crc(0, as_bytes(content));
    archive += zip_local_header(member) + content;
    members.push_back(member);
  }
  archive += zip_directory(members);
  const auto file = file_in_memory(copied(as_bytes(archive)), "x");
  const std::vector<ZipMember> found = read_zip(*file, "x");
  ASSERT_EQ(found.size(), members.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, members[i].name);
    EXPECT_EQ(found[i].offset, members[i].offset);
    EXPECT_EQ(found[i].num_bytes, members[i].num_bytes);
    EXPECT_EQ(found[i].crc, members[i].crc);
  }
}

}  // namespace
}  // namespace meshwright::io
