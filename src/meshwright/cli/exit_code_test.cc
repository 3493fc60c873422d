// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/exit_code.h"

#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/str.h"

namespace meshwright::cli {
namespace {

// A value of the enum that has no name is printed as a cast: "[with ExitCode code = (...)7]".
template <ExitCode code>
constexpr bool has_name() {
  return std::string_view(__PRETTY_FUNCTION__).find("= (") == std::string_view::npos;
}
static_assert(has_name<ExitCode::bug>() && !has_name<ExitCode{71}>());

template <std::size_t... codes>
std::vector<int> named(std::index_sequence<codes...> /*candidates*/) {
  constexpr std::array kHasName{has_name<ExitCode{static_cast<int>(codes)}>()...};
  std::vector<int> out;
  for (std::size_t code = 0; code < kHasName.size(); ++code) {
    if (kHasName[code]) out.push_back(static_cast<int>(code));
  }
  return out;
}

// The rows of the table.
std::vector<std::string> documented() {
  std::ifstream page(MW_EXIT_CODES_PAGE);
  std::vector<std::string> out;
  const std::regex row(R"(^\| \d+ \|.*)");
  for (std::string line; std::getline(page, line);)
    if (std::regex_match(line, row)) out.push_back(line);
  return out;
}

TEST(ExitCode, EachHasAMeaningInOrder) {
  std::vector<int> explained;
  for (const ExitMeaning& row : exit_meanings())
    explained.push_back(static_cast<int>(row.code));
  EXPECT_EQ(explained, named(std::make_index_sequence<256>()));
}

TEST(ExitCode, ThePageHasTheSameRows) {
  std::vector<std::string> rows;
  for (const ExitMeaning& row : exit_meanings())
    rows.push_back(
        str("| ", static_cast<int>(row.code), " | ", row.meaning, " | ", row.advice, " |"));
  EXPECT_EQ(documented(), rows);
}

TEST(DescribeFailure, APathThatCannotBeLookedAtIsNoBug) {
  try {
    EXPECT_FALSE(std::filesystem::exists(std::string(5000, 'x')));
    ADD_FAILURE() << "is looked at all the same";
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    EXPECT_EQ(failure.exit_code, ExitCode::usage);
    EXPECT_EQ(failure.message.find("bug"), std::string::npos);
  }
}

}  // namespace
}  // namespace meshwright::cli
