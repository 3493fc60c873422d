// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/config_testutil.h"

#include <charconv>

#include <gtest/gtest.h>

#include "meshwright/base/check.h"
#include "meshwright/config/merge.h"

namespace meshwright::config {

Version Text<Version>::parse(const std::string& text) {
  Version version;
  const char* end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, version.major);
  MW_CHECK(error == std::errc() && dot != end && *dot == '.', "there is no dot in it");
  const auto [stopped, minor_error] = std::from_chars(dot + 1, end, version.minor);
  MW_CHECK(minor_error == std::errc() && stopped == end, "no number follows its dot");
  return version;
}

std::string Text<Version>::print(const Version& version) {
  return str(version.major, ".", version.minor);
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides) {
  try {
    Problems problems;
    Node tree = parse_toml(std::make_shared<const Source>(Source{"a.toml", text}));
    tree = merged(std::move(tree), parse_overrides(overrides), problems);
    problems.throw_if_any();
    from_tree<Everything>(tree);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.message();
  }
  return "no error";
}

}  // namespace meshwright::config
