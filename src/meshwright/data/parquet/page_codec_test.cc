// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/page_codec.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright::data::parquet {
namespace {

using testing::HasSubstr;

std::string refusal(std::int64_t codec, ErrorCode expected) {
  try {
    checked_codec(codec);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected);
    return error.what();
  }
  return "";
}

TEST(PageCodec, RefusesUnsupportedCodecsByName) {
  EXPECT_THAT(refusal(3, ErrorCode::unimplemented), HasSubstr("LZO"));
  EXPECT_THAT(refusal(5, ErrorCode::unimplemented), HasSubstr("LZ4 compression of Hadoop"));
  EXPECT_THAT(refusal(8, ErrorCode::data_loss), HasSubstr("unknown compression codec 8"));
  EXPECT_THAT(refusal(-1, ErrorCode::data_loss), HasSubstr("unknown compression codec -1"));
  EXPECT_EQ(refusal(7, ErrorCode::internal), "");
}

TEST(PageCodec, CorruptBytesAreDataLoss) {
  const std::array<std::byte, 5> stored = {std::byte{0xf0}, std::byte{1}, std::byte{2},
                                           std::byte{3}, std::byte{4}};
  std::array<std::byte, 64> out{};
  for (const PageCodec codec : {PageCodec::uncompressed, PageCodec::snappy, PageCodec::gzip,
                                PageCodec::brotli, PageCodec::zstd, PageCodec::lz4_raw}) {
    try {
      decompress(codec, stored, out);
      ADD_FAILURE() << static_cast<int>(codec);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data_loss);
    }
  }
}

}  // namespace
}  // namespace meshwright::data::parquet
