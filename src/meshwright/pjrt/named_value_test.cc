// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/named_value.h"

#include <gtest/gtest.h>

#include "meshwright/pjrt/c/base.h"

namespace meshwright::pjrt {
namespace {

TEST(NamedValue, GoesToTheInterfaceAndBack) {
  const std::vector<NamedValue> values = {{"text", std::string("a\0b", 3)},
                                          {"number", std::int64_t{-5}},
                                          {"list", std::vector<std::int64_t>{1, 2, 3}},
                                          {"empty", std::vector<std::int64_t>{}},
                                          {"ratio", 0.5f},
                                          {"flag", true}};
  std::vector<c::NamedValue> raw = to_c(values);
  EXPECT_EQ(from_c(raw.data(), raw.size()), values);
  EXPECT_EQ(raw[2].value_size, 3u);
}

TEST(NamedValue, PrintsItself) {
  EXPECT_EQ(to_string(NamedValue{"devices", std::int64_t{8}}), "devices=8");
  EXPECT_EQ(to_string(NamedValue{"list", std::vector<std::int64_t>{1, 2}}), "list=[1,2]");
}

}  // namespace
}  // namespace meshwright::pjrt
