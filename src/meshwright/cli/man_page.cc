// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/man_page.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "meshwright/base/str.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/version.h"

namespace meshwright::cli {
namespace {

/// Escapes text so that roff prints it unchanged.
std::string roff_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";  // a minus sign, which can be copied into a shell
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      default:
        out += c;
    }
  }
  // A '.' at the start of a line would be a request.
  return out.starts_with('.') ? str("\\&", out) : out;
}

std::string bold(std::string_view text) {
  return str("\\fB", roff_escaped(text), "\\fR");
}

std::string italic(std::string_view text) {
  return str("\\fI", roff_escaped(text), "\\fR");
}

/// A paragraph in which `code` is bold.
std::string prose(std::string_view text) {
  std::string out;
  bool is_code = false;
  while (true) {
    const std::size_t tick = text.find('`');
    const std::string_view part = text.substr(0, tick);
    out += is_code ? bold(part) : roff_escaped(part);
    if (tick == std::string_view::npos) return out + "\n";
    text.remove_prefix(tick + 1);
    is_code = !is_code;
  }
}

std::string page_name(std::string_view command) {
  std::string name = command.empty() ? "meshwright" : str("meshwright-", command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string heading(const std::string& page, std::string_view summary) {
  std::string title = page;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  // The page's name is on both sides of the manual's in a line of 78 characters.
  constexpr std::string_view kManual = "Meshwright Manual";
  const bool fits = 2 * (title.size() + 3) + kManual.size() + 2 <= 78;
  return str(".TH ", roff_escaped(title), " 1 \"\" \"meshwright ", version_number(), "\" \"",
             fits ? kManual : "", "\"\n.SH NAME\n", roff_escaped(page), " \\- ",
             roff_escaped(summary), "\n");
}

std::string synopsis(std::string_view command, std::string_view arguments) {
  return str(".SH SYNOPSIS\n", bold(command.empty() ? "meshwright" : str("meshwright ", command)),
             arguments.empty() ? "" : str("\n", roff_escaped(arguments)), "\n");
}

std::string entry(const std::string& term, std::string_view text) {
  return str(".TP\n", term, "\n", prose(text));
}

std::string see_also(std::vector<std::string> pages) {
  for (std::string& page : pages)
    page = str(".BR ", roff_escaped(page), " (1)");
  return str(".SH SEE ALSO\n", join(pages, ",\n"), "\n");
}

std::string option_entry(const Option& option) {
  const std::string value = option.value ? str(" ", italic(option.value->name)) : "";
  return entry(bold(option.name) + value, option.help);
}

std::string command_page(const std::string& name,
                         const Command& command,
                         const std::string& group_name) {
  const CommandBody body = command.body(name);
  const ArgumentTable& table = body.arguments();
  std::string out = heading(page_name(name), command.summary);
  out += synopsis(name, str("[OPTION...]", table.positionals ? " " : "",
                            table.positionals ? table.positionals->value.name : ""));
  out += str(".SH DESCRIPTION\n", prose(table.description));
  if (table.positionals)
    out += entry(italic(table.positionals->value.name), table.positionals->help);
  out += ".SH OPTIONS\n";
  for (const Option& option : table.options)
    out += option_entry(option);
  out += option_entry(help_option());
  if (!table.examples.empty()) out += ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : table.examples)
    out += roff_escaped(str("meshwright ", name, " ", example)) + "\n";
  if (!table.examples.empty()) out += ".fi\n";
  out += ".SH EXIT STATUS\nSee\n.BR meshwright (1).\n";
  std::vector<std::string> others = {"meshwright"};
  if (!group_name.empty()) others.push_back(page_name(group_name));
  return out + see_also(std::move(others));
}

std::string exit_status() {
  std::string out = ".SH EXIT STATUS\n";
  for (const ExitMeaning& row : exit_meanings())
    out += entry(bold(str(static_cast<int>(row.code))), str(row.meaning, "."));
  return out;
}

std::string group_page(const std::string& name,
                       const CommandGroup& group,
                       std::string_view summary) {
  std::string out = heading(page_name(name), summary);
  out += synopsis(name, "COMMAND [ARGUMENT...]");
  out += str(".SH DESCRIPTION\n", prose(group.description), ".SH COMMANDS\n");
  std::vector<std::string> others;
  if (!name.empty()) others.emplace_back("meshwright");
  for (const Command& command : group.commands) {
    out += entry(bold(command.name), str(command.summary, "."));
    others.push_back(page_name(full_name(name, command.name)));
  }
  out += str(".SH OPTIONS\n", option_entry(help_option()));
  if (name.empty()) out += option_entry(version_option()) + exit_status();
  return out + see_also(std::move(others));
}

void add_pages(const std::string& name, const CommandGroup& group, std::vector<ManPage>& out) {
  for (const Command& command : group.commands) {
    const std::string inner = full_name(name, command.name);
    if (command.group == nullptr) {
      out.push_back({page_name(inner), command_page(inner, command, name)});
    } else {
      out.push_back({page_name(inner), group_page(inner, command.group(), command.summary)});
      add_pages(inner, command.group(), out);
    }
  }
}

}  // namespace

std::vector<ManPage> man_pages(const CommandGroup& program) {
  std::vector<ManPage> out = {
      {page_name(""), group_page("", program, "train large neural networks")}};
  add_pages("", program, out);
  return out;
}

}  // namespace meshwright::cli
