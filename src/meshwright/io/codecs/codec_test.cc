// SPDX-License-Identifier: Apache-2.0
// Round trips, damage and false sizes. tests/golden reads the files of other writers.
#include "meshwright/io/codecs/codec.h"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/io/codecs/bzip2.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::io {
namespace {

using testing::HasSubstr;

struct Case {
  std::string name;
  CodecPtr codec;
  bool has_checksum = false;  // every flipped bit is detected
};

std::vector<Case> cases() {
  std::vector<Case> out = {
      {"zstd", zstd_codec(), false},
      {"zstd_checksum", zstd_codec({.level = 3, .checksum = true}), false},
      {"gzip", deflate_codec(DeflateFraming::gzip), false},
      {"zlib", deflate_codec(DeflateFraming::zlib), false},
      {"bzip2", bzip2_codec(), false},
      {"snappy", snappy_codec(), false},
      {"crc32c", crc32c_codec(), true},
  };
  for (const char* compressor : {"blosclz", "lz4", "lz4hc", "zlib", "zstd"}) {
    for (BloscShuffle shuffle : {BloscShuffle::none, BloscShuffle::bytes, BloscShuffle::bits}) {
      out.push_back(
          {str("blosc_", compressor, "_", static_cast<int>(shuffle)),
           blosc_codec({.compressor = compressor, .shuffle = shuffle, .element_bytes = 4}), false});
    }
  }
  return out;
}

// Runs mixed with noise, so that the data is partly compressible.
std::string sample(std::size_t num_bytes, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::string out;
  while (out.size() < num_bytes)
    out.append(1 + random() % 9, static_cast<char>(random() % 7 == 0 ? random() : 'a'));
  out.resize(num_bytes);
  return out;
}

class CodecTest : public testing::TestWithParam<Case> {
 protected:
  const Codec& codec = *GetParam().codec;
};

INSTANTIATE_TEST_SUITE_P(All, CodecTest, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.name;
});

TEST_P(CodecTest, GivesBackWhatItGot) {
  for (std::size_t size : {0U, 1U, 3U, 4U, 17U, 128U, 1000U, 65536U, 300001U}) {
    std::string text = sample(size);
    Buffer stored = codec.encode(as_bytes(text));
    EXPECT_EQ(codec.decode(stored.span(), size).text(), text) << size;
  }
}

// Returns what a codec decodes as a stream; nullopt if it decodes only all at once.
std::optional<std::string> streamed(const Codec& codec, std::string_view stored) {
  Buffer bytes(stored.size());
  std::ranges::copy(as_bytes(stored), bytes.span().begin());
  const auto stream = codec.open_stream(file_in_memory(std::move(bytes), "chunk"), "chunk");
  if (stream == nullptr) return std::nullopt;
  std::string out;
  Buffer block(1000);
  while (const std::size_t size = stream->read(block.span()))
    out += block.text().substr(0, size);
  return out;
}

TEST_P(CodecTest, AStreamGivesTheSame) {
  for (std::size_t size : {1U, 17U, 1000U, 65536U, 300001U}) {
    const std::string text = sample(size);
    const Buffer stored = codec.encode(as_bytes(text));
    const std::optional<std::string> found = streamed(codec, stored.text());
    EXPECT_EQ(found.value_or(text), text) << size;
  }
}

TEST_P(CodecTest, AStreamThatIsCutNeverGivesMore) {
  const std::string text = sample(1000);
  const std::string stored(codec.encode(as_bytes(text)).text());
  for (std::size_t size = 0; size < stored.size(); ++size) {
    std::optional<std::string> found;
    const auto code = code_of([&] { found = streamed(codec, stored.substr(0, size)); });
    EXPECT_TRUE(code == ErrorCode::data_loss || !found || found->size() < text.size()) << size;
  }
}

TEST_P(CodecTest, AnotherSizeIsDataLoss) {
  Buffer stored = codec.encode(as_bytes(sample(1000)));
  for (std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{1001}, std::uint64_t{1} << 20}) {
    EXPECT_EQ(code_of([&] { codec.decode(stored.span(), size); }), ErrorCode::data_loss) << size;
  }
}

TEST_P(CodecTest, ACutEndIsDataLoss) {
  Buffer stored = codec.encode(as_bytes(sample(1000)));
  for (std::size_t size = 0; size < stored.size(); ++size) {
    EXPECT_EQ(code_of([&] { codec.decode(stored.span().first(size), 1000); }), ErrorCode::data_loss)
        << size << " of " << stored.size();
  }
}

TEST_P(CodecTest, BytesAfterTheEndAreDataLoss) {
  std::string stored(codec.encode(as_bytes(sample(1000))).text());
  stored += "x";
  EXPECT_EQ(code_of([&] { codec.decode(as_bytes(stored), 1000); }), ErrorCode::data_loss);
}

TEST_P(CodecTest, AFlippedBitIsFoundOrGivesTheRightSize) {
  std::string text = sample(200);
  std::string stored(codec.encode(as_bytes(text)).text());
  for (std::size_t bit = 0; bit < 8 * stored.size(); ++bit) {
    std::string damaged = stored;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    std::optional<ErrorCode> code = code_of(
        [&] { EXPECT_EQ(codec.decode(as_bytes(damaged), text.size()).size(), text.size()); });
    EXPECT_TRUE(code == ErrorCode::data_loss || (!code && !GetParam().has_checksum)) << bit;
  }
}

TEST_P(CodecTest, NoiseIsDataLossAndNeverACrash) {
  for (unsigned seed = 1; seed < 200; ++seed) {
    std::string noise = sample(seed, seed);
    std::optional<ErrorCode> code = code_of([&] { codec.decode(as_bytes(noise), 64); });
    EXPECT_TRUE(!code || code == ErrorCode::data_loss) << seed;
  }
}

TEST(Zstd, FindsDamageByItsChecksum) {
  CodecPtr codec = zstd_codec({.level = 1, .checksum = true});
  std::string stored(codec->encode(as_bytes(sample(100))).text());
  stored.back() = static_cast<char>(stored.back() ^ 1);
  EXPECT_EQ(code_of([&] { codec->decode(as_bytes(stored), 100); }), ErrorCode::data_loss);
}

TEST(Zstd, ReadsSeveralFramesAsOne) {
  CodecPtr codec = zstd_codec();
  std::string stored(codec->encode(as_bytes("hello ")).text());
  stored += codec->encode(as_bytes("world")).text();
  EXPECT_EQ(codec->decode(as_bytes(stored), 11).text(), "hello world");
}

TEST(Gzip, ReadsSeveralMembersAsOne) {
  CodecPtr codec = deflate_codec(DeflateFraming::gzip);
  std::string stored(codec->encode(as_bytes("hello ")).text());
  stored += codec->encode(as_bytes("world")).text();
  EXPECT_EQ(codec->decode(as_bytes(stored), 11).text(), "hello world");
}

TEST(Bzip2, ReadsSeveralStreamsAsOne) {
  CodecPtr codec = bzip2_codec();
  std::string stored(codec->encode(as_bytes("hello ")).text());
  stored += codec->encode(as_bytes("world")).text();
  EXPECT_EQ(codec->decode(as_bytes(stored), 11).text(), "hello world");
}

TEST(Codec, ABombTakesNoMoreMemoryThanDeclared) {
  std::string zeros(std::size_t{64} << 20, '\0');
  for (const CodecPtr& codec : {zstd_codec(), deflate_codec(DeflateFraming::gzip), bzip2_codec()}) {
    Buffer stored = codec->encode(as_bytes(zeros));
    EXPECT_EQ(code_of([&] { codec->decode(stored.span(), 1024); }), ErrorCode::data_loss);
  }
}

TEST(Codec, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(code_of([] { zstd_codec({.level = 99}); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([] { deflate_codec(DeflateFraming::gzip, 13); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([] { bzip2_codec(0); }), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of([] { blosc_codec({.level = 10}); }), ErrorCode::invalid_argument);
  EXPECT_THAT(message_of([&] { blosc_codec({.compressor = "lzma"}); }),
              HasSubstr("unknown compressor 'lzma'\navailable: blosclz,lz4"));
}

}  // namespace
}  // namespace meshwright::io
