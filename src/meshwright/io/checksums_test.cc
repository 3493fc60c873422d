// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/checksums.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/crc32c.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::io {
namespace {

// Longer than the blocks in which files are written and read.
std::string long_text(std::size_t num_bytes) {
  std::string out(num_bytes, '\0');
  for (std::size_t i = 0; i < num_bytes; ++i)
    out[i] = static_cast<char>(i * 2654435761u >> 11);
  return out;
}

struct Written {
  explicit Written(const std::string& text) {
    RecordingFiles recording(files, "");
    write_text(recording, "f", text);
    records = recording.records();
  }
  VerifiedFiles verified() const { return VerifiedFiles(files, "", records); }

  std::shared_ptr<MemoryFileSystem> files = std::make_shared<MemoryFileSystem>();
  FileRecords records;
};

TEST(Checksums, AreThoseOfTheWholeFile) {
  for (std::size_t size : {0u, 1u, (256u << 10), (256u << 10) + 1, 700'001u}) {
    const std::string text = long_text(size);
    Written written(text);
    EXPECT_EQ(written.records.at("f").num_bytes, size);
    EXPECT_EQ(written.records.at("f").crc, crc32c(text)) << size;
    EXPECT_EQ(read_text(written.verified(), "f"), text);
  }
}

TEST(Checksums, FindDamageInEveryBlock) {
  const std::string text = long_text(700'001);
  Written written(text);
  for (std::size_t at : {0u, (256u << 10) - 1, 256u << 10, 512u << 10, 700'000u}) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_text(*written.files, "f", damaged);
    EXPECT_EQ(code_of([&] { read_text(written.verified(), "f"); }), ErrorCode::data_loss) << at;
    std::byte part[3];
    EXPECT_EQ(code_of([&] { written.verified().open("f")->read(7, part); }), ErrorCode::data_loss);
  }
}

}  // namespace
}  // namespace meshwright::io
