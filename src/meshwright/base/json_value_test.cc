// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/json_value.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright {
namespace {

using testing::HasSubstr;

std::string round_trip(std::string_view text) {
  return to_string(parse_json(text, "test"));
}

std::string parse_error(std::string_view text) {
  try {
    parse_json(text, "x.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data_loss);
    return error.message();
  }
  return "no error";
}

TEST(ParseJson, ReadsEveryKind) {
  for (const char* text : {"null", "true", "false", "0", "-7", "9223372036854775807", "0.5",
                           "\"a\"", "[]", "{}", "[1,[2,{\"a\":null}]]", "{\"b\":1,\"a\":\"x\"}"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(ParseJson, KeepsIntegersApartFromNumbers) {
  EXPECT_EQ(parse_json("3", "").as_integer(), 3);
  EXPECT_EQ(parse_json("3", "").as_number(), 3.0);
  EXPECT_EQ(parse_json("3.0", "").as_number(), 3.0);
  EXPECT_EQ(parse_json("3.0", "").find_integer(), std::nullopt);
  EXPECT_EQ(parse_json("18446744073709551615", "").as_number(), 18446744073709551615.0);
  EXPECT_THROW(parse_json("18446744073709551615", "").as_integer(), Error);
}

TEST(ParseJson, KeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(parse_json(round_trip("-0.0"), "").as_number()));
  EXPECT_EQ(round_trip("[-0e93,-0,0.0]"), "[-0.0,0,0]");
}

TEST(ParseJson, ReadsEscapes) {
  EXPECT_EQ(parse_json(R"("\u00e9\n\ud83d\ude00\"")", "").as_text(),
            "\xc3\xa9\n\xf0\x9f\x98\x80\"");
}

TEST(ParseJson, FindsMembers) {
  JsonValue value = parse_json(R"({"shape":[2,3],"order":"C"})", "");
  EXPECT_EQ(value.at("order").as_text(), "C");
  EXPECT_EQ(value.at("shape").as_array()[1].as_integer(), 3);
  EXPECT_EQ(value.find("dtype"), nullptr);
  EXPECT_THROW(value.at("dtype"), Error);
  EXPECT_THROW(value.at("order").at("x"), Error);
}

TEST(ParseJson, SaysWhereItIsBroken) {
  EXPECT_THAT(parse_error("{\"a\": 1,\n \"b\": }"),
              HasSubstr("x.json: invalid JSON: parse error at line 2"));
  for (const char* text :
       {"", " ", "{", "[1,", "[1,]", "01", "1.", "nul", "'a'", "{\"a\":1,}", "1 2", "\"\x01\"",
        "\"\xff\"", "\"\\ud800\"", "1e999", "NaN", "// x\n1"}) {
    EXPECT_THAT(parse_error(text), HasSubstr("x.json: invalid JSON")) << text;
  }
}

TEST(ParseJson, RefusesANameTwice) {
  EXPECT_EQ(parse_error(R"({"a":1,"b":{"a":1},"a":2})"), "x.json: 'a' appears twice in one object");
}

// A linear search for duplicates of each name would take minutes.
TEST(ParseJson, ReadsAnObjectOfVeryManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i)
    text += str(i == 0 ? "" : ",", "\"n", i, "\":1");
  EXPECT_EQ(parse_json(str(text, "}"), "").as_object().size(), 300'000u);
  EXPECT_EQ(parse_error(str(text, ",\"n7\":1}")), "x.json: 'n7' appears twice in one object");
}

TEST(ParseJson, RefusesToFillTheMemory) {
  std::string zeros = "[0";
  for (int i = 0; i < 2'000'000; ++i)
    zeros += ",0";
  EXPECT_THAT(parse_error(zeros + "]"), HasSubstr("x.json: needs more than 67108864 bytes"));
}

TEST(ParseJson, RefusesDeepNesting) {
  EXPECT_EQ(parse_error(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_EQ(parse_error(std::string(1'000'000, '[')), "x.json: nested deeper than 64");
}

TEST(JsonValue, SaysWhatItIsInstead) {
  const Error error = thrown_by([&] { parse_json("[1]", "").as_integer(); });
  EXPECT_STREQ(error.what(), "is an array, expected an integer below 2^63");
}

}  // namespace
}  // namespace meshwright
