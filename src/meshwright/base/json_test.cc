// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/json.h"

#include <cmath>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(Json, WritesNestedObjectsAndArrays) {
  JsonWriter json;
  json.begin_object().field("steps", 3).field("name", "a").field("done", true);
  json.key("list").begin_array().value(1).value(2.5).begin_object().end_object().null().end_array();
  json.key("empty").begin_array().end_array().end_object();
  EXPECT_EQ(json.str(), R"({"steps":3,"name":"a","done":true,"list":[1,2.5,{},null],"empty":[]})");
}

TEST(Json, EscapesWhatAStringMayNotHold) {
  JsonWriter json;
  json.value(std::string_view("a\"b\\c\nd\x01\x1f\xc3\xa4", 11));
  EXPECT_EQ(json.str(), "\"a\\\"b\\\\c\\nd\\u0001\\u001f\xc3\xa4\"");
}

TEST(Json, HasNoNumberThatIsNotFinite) {
  JsonWriter json;
  json.begin_array().value(std::nan("")).value(HUGE_VAL).value(-0.5).end_array();
  EXPECT_EQ(json.str(), "[null,null,-0.5]");
}

}  // namespace
}  // namespace meshwright
