// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/regex_template.h"

#include "meshwright/base/check.h"

namespace meshwright {

std::optional<std::string> expand_match(const Regex& pattern,
                                        std::string_view text,
                                        std::string_view form) {
  const std::optional<std::vector<std::string_view>> groups = pattern.groups(text);
  if (!groups) return std::nullopt;
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
    MW_CHECK(next >= '0' && next <= '9', "template '", form,
             "': expected a digit after the backslash");
    const auto group = static_cast<std::size_t>(next - '0');
    MW_CHECK(group < groups->size(), "template '", form, "': the pattern ", pattern, " has ",
             groups->size() - 1, " groups");
    out += (*groups)[group];
  }
  return out;
}

}  // namespace meshwright
