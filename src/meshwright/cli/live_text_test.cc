// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/live_text.h"

#include <cstdint>
#include <span>

#include <gtest/gtest.h>

namespace meshwright::cli {
namespace {

using train::GeneratedText;
using Tokens = std::vector<std::int32_t>;
using Stops = std::vector<std::string>;

// Tokens are letters. The text of "?" is known only when another letter follows.
data::TextCodec letters() {
  data::TextCodec out;
  out.decode = [](std::span<const std::int32_t> tokens) {
    return std::string(tokens.begin(), tokens.end());
  };
  out.decode_settled = [](std::span<const std::int32_t> tokens) {
    std::string text(tokens.begin(), tokens.end());
    if (text.ends_with('?')) text.pop_back();
    return text;
  };
  return out;
}

GeneratedText made(const std::string& text, bool is_complete = false) {
  return {.tokens = Tokens(text.begin(), text.end()), .is_complete = is_complete};
}

// Returns the parts that are shown while the text grows letter by letter, until it is over.
std::vector<std::string> parts(const std::string& text, const Stops& stops = {}) {
  const data::TextCodec codec = letters();
  LiveText live(codec, stops);
  std::vector<std::string> out;
  for (std::size_t size = 1; size <= text.size() && !live.is_over(); ++size)
    out.push_back(live.next(made(text.substr(0, size), size == text.size())));
  EXPECT_TRUE(live.is_over());
  return out;
}

TEST(LiveText, ShowsWhatFurtherTokensCannotChange) {
  EXPECT_EQ(parts("ab?c"), (Stops{"a", "b", "", "?c"}));
  EXPECT_EQ(parts("ab?"), (Stops{"a", "b", "?"}));
}

TEST(LiveText, HoldsTheBeginningOfAStopBack) {
  EXPECT_EQ(parts("axxb", {"xxx"}), (Stops{"a", "", "", "xxb"}));
  EXPECT_EQ(parts("axxxb", {"xxx"}), (Stops{"a", "", "", ""}));
  EXPECT_EQ(parts("axx", {"xxx"}), (Stops{"a", "", "xx"}));
  // A longer stop that begins earlier decides.
  EXPECT_EQ(parts("cxaby", {"ab", "xabyz"}), (Stops{"c", "", "", "", "x"}));
  EXPECT_EQ(parts("cxabyzd", {"ab", "xabyz"}), (Stops{"c", "", "", "", "", ""}));
}

TEST(LiveText, WithoutSettledTextIsShownAtItsEnd) {
  data::TextCodec codec = letters();
  codec.decode_settled = nullptr;
  const Stops stops;
  LiveText live(codec, stops);
  EXPECT_EQ(live.next(made("ab")), "");
  EXPECT_EQ(live.next(made("abc", true)), "abc");
}

TEST(LiveLines, ArePrintedInOrder) {
  const data::TextCodec codec = letters();
  const Stops stops = {"!"};
  std::vector<std::string> printed;
  LiveLines lines(codec, stops, [&](const std::string& text) { printed.push_back(text); });
  EXPECT_TRUE(lines.show({made("a"), made("x\n"), made("k!", false)}));
  EXPECT_TRUE(lines.show({made("ab", true), made("x\ny"), made("k!l")}));
  EXPECT_EQ(printed, (Stops{"a", "b\n", "x\\ny"}));
  // The third text is over, although the model would go on.
  EXPECT_FALSE(lines.show({made("ab", true), made("x\nyz", true), made("k!lm")}));
  EXPECT_EQ(printed, (Stops{"a", "b\n", "x\\ny", "z\n", "k\n"}));
}

}  // namespace
}  // namespace meshwright::cli
