// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/byte_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;

TEST(ByteFiles, AreDocumentsOfTheirBytes) {
  io::MemoryFileSystem files;
  const std::string text = std::string("a\0\xff", 3) + "bc";
  auto written = files.create("x");
  written->append(std::as_bytes(std::span(text)));
  written->close();
  files.create("empty")->close();
  DocumentsPtr documents =
      byte_files({{"x", files.open("x"), "1"}, {"empty", files.open("empty"), "2"}});

  ASSERT_EQ(documents->num_documents(), 2);
  EXPECT_THAT(whole_document(*documents, 0), ElementsAre('a', 0, 255, 'b', 'c'));
  EXPECT_THAT(whole_document(*documents, 1), ElementsAre());
  std::vector<std::int32_t> two(2);
  documents->read(0, 2, two);
  EXPECT_THAT(two, ElementsAre(255, 'b'));
  EXPECT_EQ(documents->origin(1).file, "empty");
  EXPECT_NE(documents->content_hash(0), documents->content_hash(1));
  EXPECT_THROW(documents->read(0, 4, two), Error);
}

}  // namespace
}  // namespace meshwright::data
