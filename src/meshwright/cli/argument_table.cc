// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/argument_table.h"

#include <sstream>

#include "meshwright/base/str.h"

namespace meshwright::cli {
namespace {

constexpr std::size_t kHelpWidth = 98;

// Breaks text into lines, all but the first indented; the first starts at `column`.
std::string wrapped(const std::string& text, std::size_t column, std::size_t indent) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) {
    const bool is_first = out.empty();
    if (!is_first && column + 1 + word.size() > kHelpWidth) {
      out += str("\n", std::string(indent, ' '), word);
      column = indent + word.size();
    } else {
      out += str(is_first ? "" : " ", word);
      column += word.size() + (is_first ? 0 : 1);
    }
  }
  return out + "\n";
}

std::string help_line(const std::string& left, const std::string& right) {
  constexpr std::size_t kColumn = 28;
  const bool fits = left.size() + 4 <= kColumn;
  std::string start = str("  ", left);
  start += fits ? std::string(kColumn - start.size(), ' ') : str("\n", std::string(kColumn, ' '));
  return start + wrapped(right, kColumn, kColumn);
}

std::string option_line(const Option& option) {
  return help_line(option.value ? str(option.name, " ", option.value->name) : option.name,
                   option.help);
}

}  // namespace

Placeholder one_of(const std::vector<std::string>& choices) {
  return {.name = join(choices, "|"), .offer = Offer::choices, .choices = choices};
}

const Option& help_option() {
  static const Option option{"--help", std::nullopt, "print this help"};
  return option;
}

const Option& version_option() {
  static const Option option{"--version", std::nullopt, "print version, commit and plugin paths"};
  return option;
}

std::string usage(const ArgumentTable& table) {
  return str("meshwright ", table.command, table.options.empty() ? "" : " [OPTION...]",
             table.positionals ? str(" ", table.positionals->value.name) : "");
}

std::string help_text(const ArgumentTable& table) {
  std::string text = str("usage: ", usage(table), "\n\n", wrapped(table.description, 0, 0), "\n");
  if (table.positionals)
    text += help_line(table.positionals->value.name, table.positionals->help) + "\n";
  for (const Option& option : table.options)
    text += option_line(option);
  text += option_line(help_option());
  for (const std::string& example : table.examples)
    text += str(&example == &table.examples.front() ? "\nfor example:\n" : "", "  meshwright ",
                table.command, " ", example, "\n");
  return text;
}

}  // namespace meshwright::cli
