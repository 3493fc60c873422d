// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/regex_template.h"

#include <regex>

#include "meshwright/base/check.h"

namespace meshwright {

std::optional<std::string> expand_match(const Regex& pattern,
                                        std::string_view text,
                                        std::string_view form) {
  if (!pattern.matches(text)) return std::nullopt;
  std::match_results<std::string_view::const_iterator> match;
  std::regex_match(text.begin(), text.end(), match, std::regex(pattern.pattern()));
  std::string out;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '\\') {
      out += form[i];
      continue;
    }
    const char next = ++i < form.size() ? form[i] : ' ';
    if (next == '\\') {
      out += next;
      continue;
    }
    MW_CHECK(next >= '0' && next <= '9', "template '", form, "': after a backslash comes a digit");
    const auto group = static_cast<std::size_t>(next - '0');
    MW_CHECK(group < match.size(), "template '", form, "': the pattern ", pattern, " has ",
             match.size() - 1, " groups");
    out += match[group].str();
  }
  return out;
}

}  // namespace meshwright
