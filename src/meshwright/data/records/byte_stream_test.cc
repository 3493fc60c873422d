// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/byte_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/records_testutil.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;
using testing::AllOf;
using testing::HasSubstr;

const std::string kSkippable("\x53\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);

std::string varied_text(int num_lines) {
  std::string out;
  for (int i = 0; i < num_lines; ++i)
    out += str("line ", i, " ", i * 7919 % 1009, "\n");
  return out;
}

/// Reads a whole file. Returns the text and the error; one of them is empty unless both occurred.
std::pair<std::string, std::string> read(std::string_view content,
                                         std::size_t input_bytes = 128 << 10,
                                         std::size_t output_bytes = 1 << 16) {
  const DataFolder folder;
  const std::string path = folder.write("file", content);
  std::pair<std::string, std::string> out;
  try {
    auto stream = open_byte_stream(io::open_user_file(path), "file", {.input_bytes = input_bytes});
    std::string buffer(output_bytes, '\0');
    while (std::size_t n = stream->read(std::as_writable_bytes(std::span(buffer))))
      out.first.append(buffer, 0, n);
  } catch (const Error& error) {
    out.second = error.what();
  }
  return out;
}

TEST(ByteStream, ReadsPlainGzipAndZstdFiles) {
  const std::string text = varied_text(50000);
  for (const std::string& file : {text, gzipped(text), zstd_compressed(text)})
    EXPECT_EQ(read(file), std::pair(text, std::string()));
}

TEST(ByteStream, ReadsEmptyFilesAndMembers) {
  for (const std::string& file : {std::string(), gzipped(""), zstd_compressed(""), kSkippable})
    EXPECT_EQ(read(file), std::pair(std::string(), std::string()));
}

TEST(ByteStream, ReadsManyGzipMembersWithBuffersOfAnySize) {
  std::string text;
  std::string file;
  for (int i = 0; i < 50; ++i) {
    const std::string part = varied_text(i % 7);
    text += part;
    file += gzipped(part);
  }
  for (std::size_t num_bytes : {1, 2, 3, 7, 8, 9, 17, 18, 19, 4096}) {
    EXPECT_EQ(read(file, num_bytes), std::pair(text, std::string())) << num_bytes;
    EXPECT_EQ(read(file, 4096, num_bytes), std::pair(text, std::string())) << num_bytes;
    EXPECT_EQ(read(file + std::string(1000, '\0'), num_bytes), std::pair(text, std::string()));
  }
}

TEST(ByteStream, ReadsManyZstdFramesWithBuffersOfAnySize) {
  std::string text;
  std::string file = kSkippable;
  for (int i = 0; i < 20; ++i) {
    const std::string part = varied_text(i % 7);
    text += part;
    file += zstd_compressed(part) + kSkippable;
  }
  for (std::size_t num_bytes : {1, 2, 3, 7, 8, 4096}) {
    EXPECT_EQ(read(file, num_bytes), std::pair(text, std::string())) << num_bytes;
    EXPECT_EQ(read(file, 4096, num_bytes), std::pair(text, std::string())) << num_bytes;
  }
}

TEST(ByteStream, RefusesEveryTruncation) {
  for (const std::string& file : {gzipped("some text"), zstd_compressed("some text")}) {
    for (std::size_t n = 4; n < file.size(); ++n) {
      EXPECT_THAT(read(file.substr(0, n)).second,
                  HasSubstr(str("truncated at byte ", n, " of the file")));
    }
  }
}

TEST(ByteStream, ReturnsWhatPrecedesATruncation) {
  const std::string text = varied_text(50000);
  for (const std::string& file : {gzipped(text), zstd_compressed(text)}) {
    const auto [begin, error] = read(file.substr(0, file.size() / 2));
    EXPECT_TRUE(text.starts_with(begin));
    EXPECT_GT(begin.size(), text.size() / 10);
    EXPECT_THAT(error, HasSubstr("truncated"));
  }
}

// A few bits are padding and change nothing.
TEST(ByteStream, NeverReturnsOtherBytesThanWereWritten) {
  const std::string text = varied_text(100);
  for (const std::string& file : {gzipped(text), zstd_compressed(text)}) {
    std::size_t num_refused = 0;
    for (std::size_t i = file.size() / 4; i < file.size(); ++i) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      const auto [bytes, error] = read(damaged);
      num_refused += error.empty() ? 0 : 1;
      EXPECT_TRUE(!error.empty() || bytes == text) << i;
    }
    EXPECT_GT(num_refused, file.size() / 2);
  }
}

TEST(ByteStream, RefusesTrailingGarbage) {
  EXPECT_THAT(read(gzipped("a") + "garbage, long enough").second,
              AllOf(HasSubstr("file: gzip data: "), HasSubstr("of the file")));
  EXPECT_THAT(read(gzipped("a") + "\0\0x"s).second, HasSubstr("unexpected bytes after the end"));
  EXPECT_THAT(read(zstd_compressed("a") + "garbage").second, HasSubstr("file: zstd data: "));
}

TEST(ByteStream, NamesOtherKindsOfFiles) {
  EXPECT_THAT(read("BZh91AY&SYabc").second, HasSubstr("file: is bzip2 data"));
  EXPECT_THAT(read("\xfd\x37zXZ\0abc"sv).second, HasSubstr("xz"));
  EXPECT_THAT(read("PAR1abc").second, HasSubstr("Parquet"));
  EXPECT_THAT(read("\xff\xfe"
                   "a\0"sv)
                  .second,
              HasSubstr("UTF-16"));
}

TEST(ByteStream, RefusesAnEmptyFileNamedAsCompressed) {
  EXPECT_THROW(compression_of({}, "a.jsonl.zst"), Error);
  EXPECT_EQ(compression_of({}, "a.jsonl"), Compression::none);
}

TEST(ByteStream, RefusesZstdWindowsThatNeedTooMuchMemory) {
  // A frame header with a window of 2 GiB.
  EXPECT_THAT(read("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"sv).second,
              HasSubstr("a window of more than 2^27 bytes"));
}

}  // namespace
}  // namespace meshwright::data
