// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/piece_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshwright::data {
namespace {

using testing::IsEmpty;
using Pieces = std::vector<std::pair<std::string, std::int64_t>>;

/// Text in memory, returned in pieces of a given size.
class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string text) : text_(std::move(text)) {}
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t n = std::min(out.size(), text_.size() - num_read_);
    std::memcpy(out.data(), text_.data() + num_read_, n);
    num_read_ += n;
    return n;
  }

 private:
  std::string text_;
  std::size_t num_read_ = 0;
};

Pieces pieces_of(const std::string& text, PieceOptions options) {
  if (options.max_bytes == 0) options.max_bytes = 1 << 30;
  const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, options.begin - 1));
  PieceReader reader(std::make_unique<MemoryStream>(text.substr(begin)), options, ReadAhead::yes);
  Pieces out;
  Piece piece;
  while (reader.next(piece))
    out.emplace_back(piece.is_too_long ? "(too long)" : std::string(piece.text), piece.offset);
  return out;
}

TEST(PieceReader, CutsLinesOfEveryEnding) {
  EXPECT_EQ(pieces_of("a\nbc\r\n\n \r\nd", {}), (Pieces{{"a", 0}, {"bc", 2}, {"d", 10}}));
  EXPECT_EQ(pieces_of("a\n", {}), (Pieces{{"a", 0}}));
  EXPECT_THAT(pieces_of("", {}), IsEmpty());
  EXPECT_THAT(pieces_of("\n\r\n\n", {}), IsEmpty());
}

TEST(PieceReader, SkipsAByteOrderMark) {
  for (TextSplit split : {TextSplit::files, TextSplit::lines, TextSplit::blank_lines}) {
    EXPECT_EQ(pieces_of("\xef\xbb\xbf"
                        "a",
                        {.split = split}),
              (Pieces{{"a", 3}}));
    EXPECT_THAT(pieces_of("\xef\xbb\xbf", {.split = split}), IsEmpty());
    EXPECT_EQ(pieces_of("\xef\xbb", {.split = split}), (Pieces{{"\xef\xbb", 0}}));
  }
}

TEST(PieceReader, KeepsAFileUnchanged) {
  EXPECT_EQ(pieces_of("a\r\n\n b \n", {.split = TextSplit::files}), (Pieces{{"a\r\n\n b \n", 0}}));
  EXPECT_THAT(pieces_of(" \n", {.split = TextSplit::files}), IsEmpty());
}

TEST(PieceReader, CutsAtBlankLines) {
  const PieceOptions options{.split = TextSplit::blank_lines};
  EXPECT_EQ(pieces_of("\n\na\nb\n\n \t\nc\r\nd\r\n\r\ne", options),
            (Pieces{{"a\nb", 2}, {"c\r\nd", 10}, {"e", 18}}));
}

TEST(PieceReader, CutsAtSeparators) {
  const PieceOptions options{.split = TextSplit::separator, .separator = "<|end|>"};
  EXPECT_EQ(pieces_of("a\n<|end|><|end|>b<|end|", options), (Pieces{{"a\n", 0}, {"b<|end|", 16}}));
}

TEST(PieceReader, ReplacesLongPiecesWhereverTheyEnd) {
  const std::string longer(1000, 'x');
  const std::string text = "aa\n" + longer + "\nbb\n" + longer;
  EXPECT_EQ(pieces_of(text, {.max_bytes = 999}),
            (Pieces{{"aa", 0}, {"(too long)", 3}, {"bb", 1004}, {"(too long)", 1007}}));
  EXPECT_EQ(pieces_of(text, {.max_bytes = 1000}).size(), 4);
  EXPECT_EQ(pieces_of(text, {.max_bytes = 1000})[1].first, longer);
  EXPECT_EQ(
      pieces_of("a\n\n" + longer + "\nb\n\nc", {.split = TextSplit::blank_lines, .max_bytes = 99}),
      (Pieces{{"a", 0}, {"(too long)", 3}, {"c", 1007}}));
}

// Pieces around the sizes of blocks and of their headroom, and far larger ones.
TEST(PieceReader, IsIndifferentToBlocks) {
  std::string text;
  Pieces expected;
  std::uint32_t random = 1;
  for (int i = 0; i < 200; ++i) {
    random = random * 1664525 + 1013904223;
    std::size_t size = 1 + (random >> 12) % 40000;
    if (i % 20 == 7) size = Block::kHeadroom - 2 + static_cast<std::size_t>(i) / 40;
    if (i % 50 == 13) size = Block::kContent * 3 + static_cast<std::size_t>(i);
    const std::string piece(size, static_cast<char>('a' + i % 26));
    expected.emplace_back(piece, static_cast<std::int64_t>(text.size()));
    text += piece + "\n\n";
  }
  EXPECT_TRUE(pieces_of(text, {}) == expected);
  EXPECT_TRUE(pieces_of(text, {.split = TextSplit::blank_lines}) == expected);
  EXPECT_TRUE(pieces_of(text, {.split = TextSplit::separator, .separator = "\n\n"}) == expected);
}

TEST(PieceReader, RangesPartitionTheLines) {
  const std::string text =
      "\xef\xbb\xbf"
      "a\nbcd\r\n\nefghijk\nl\n";
  const Pieces whole = pieces_of(text, {});
  for (std::int64_t width = 4; width <= std::ssize(text); ++width) {
    Pieces joined;
    for (std::int64_t begin = 0; begin < std::ssize(text); begin += width) {
      for (auto& piece : pieces_of(text, {.begin = begin, .end = begin + width}))
        joined.push_back(piece);
    }
    EXPECT_EQ(joined, whole) << width;
  }
}

TEST(PieceReader, CutsBlocksAfterLineEnds) {
  constexpr std::size_t kBlock = 64 << 10;
  std::string text;
  for (int i = 0; text.size() < 5 * kBlock; ++i)
    text += "line " + std::to_string(i) + "\r\n";
  std::string joined;
  for (const auto& [piece, offset] : pieces_of(text, {.split = TextSplit::blocks})) {
    EXPECT_EQ(static_cast<std::size_t>(offset), joined.size());
    EXPECT_TRUE(piece.ends_with("\r\n"));
    joined += piece;
    EXPECT_LE(piece.size(), kBlock);
    EXPECT_TRUE(piece.size() > kBlock - 20 || joined.size() == text.size()) << piece.size();
  }
  EXPECT_EQ(joined, text);
}

TEST(PieceReader, CutsBlocksWithoutLinesBetweenCharacters) {
  std::string text = "a";
  for (int i = 0; i < 100'000; ++i)
    text += "\xe4\xb8\xad";
  const Pieces pieces = pieces_of(text, {.split = TextSplit::blocks});
  ASSERT_EQ(pieces.size(), 5);
  EXPECT_EQ(pieces[0].first.size(), 1 + 3 * 21845);
  EXPECT_EQ(pieces[1].first.substr(0, 3), "\xe4\xb8\xad");
  // Bytes that are not UTF-8 are cut anywhere.
  EXPECT_EQ(pieces_of(std::string(70'000, '\x80'), {.split = TextSplit::blocks}).size(), 2);
}

}  // namespace
}  // namespace meshwright::data
