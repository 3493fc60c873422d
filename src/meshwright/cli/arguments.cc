// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"

namespace meshwright::cli {
namespace {

template <typename Number>
Number parse_number(const std::string& name, const std::string& text, const char* what) {
  Number value = 0;
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, value);
  MW_CHECK(error == std::errc() && stopped == end, name, ": '", text, "' is not ", what);
  return value;
}

constexpr std::size_t kHelpWidth = 98;

// Words in lines, those after the first indented; the first begins at `column`.
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

}  // namespace

ArgumentParser::ArgumentParser(std::string command, std::string summary)
    : command_(std::move(command)), summary_(std::move(summary)) {}

void ArgumentParser::flag(const std::string& name, bool& value, const std::string& help) {
  options_.push_back({name, "", help, [&value](const std::string&) { value = true; }});
}

void ArgumentParser::set(std::string& value, const std::string& /*name*/, const std::string& text) {
  value = text;
}

void ArgumentParser::set(std::int64_t& value, const std::string& name, const std::string& text) {
  value = parse_number<std::int64_t>(name, text, "a whole number");
}

void ArgumentParser::set(double& value, const std::string& name, const std::string& text) {
  value = parse_number<double>(name, text, "a number");
}

void ArgumentParser::set(Args& value, const std::string& /*name*/, const std::string& text) {
  value.push_back(text);
}

void ArgumentParser::positionals(Args& values,
                                 const std::string& metavar,
                                 const std::string& help) {
  positionals_ = &values;
  positionals_metavar_ = metavar;
  positionals_help_ = help;
}

void ArgumentParser::example(const std::string& args) {
  examples_.push_back(args);
}

bool ArgumentParser::parse(const Args& args) const {
  const auto end_of_options = std::find(args.begin(), args.end(), "--");
  for (auto arg = args.begin(); arg != end_of_options; ++arg) {
    if (*arg != "--help" && *arg != "-h") continue;
    std::cout << help();
    return false;
  }
  bool only_positionals = false;
  for (std::size_t at = 0; at < args.size();) {
    const std::string& arg = args[at];
    if (!only_positionals && arg == "--") {
      only_positionals = true;
      ++at;
    } else if (!only_positionals && arg.size() > 1 && arg.front() == '-') {
      at = parse_option(args, at);
    } else {
      MW_CHECK(positionals_ != nullptr, command_, ": unexpected argument '", arg,
               "'\nsee: meshwright ", command_, " --help");
      positionals_->push_back(arg);
      ++at;
    }
  }
  return true;
}

/// The position after the option at `at`.
std::size_t ArgumentParser::parse_option(const Args& args, std::size_t at) const {
  const std::string& arg = args[at];
  const std::size_t equals = arg.find('=');
  const Option& option = find(arg.substr(0, equals));
  if (option.metavar.empty()) {
    MW_CHECK(equals == std::string::npos, command_, ": ", option.name, " takes no value");
    option.set("");
    return at + 1;
  }
  if (equals != std::string::npos) {
    option.set(arg.substr(equals + 1));
    return at + 1;
  }
  MW_CHECK(at + 1 < args.size(), command_, ": ", option.name, " needs a value: ", option.name, " ",
           option.metavar);
  option.set(args[at + 1]);
  return at + 2;
}

const ArgumentParser::Option& ArgumentParser::find(const std::string& name) const {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : options_) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  const auto nearest = find_nearest(name, names);
  fail(
      ErrorCode::invalid_argument, command_, ": unknown option '", name, "'\n",
      nearest ? str("did you mean ", *nearest, "?") : str("see: meshwright ", command_, " --help"));
}

std::string ArgumentParser::help() const {
  std::string text = str("usage: meshwright ", command_);
  if (!options_.empty()) text += " [OPTION...]";
  if (positionals_ != nullptr) text += str(" ", positionals_metavar_);
  text += str("\n\n", wrapped(summary_, 0, 0), "\n");
  if (positionals_ != nullptr) text += help_line(positionals_metavar_, positionals_help_) + "\n";
  for (const Option& option : options_) {
    const bool is_flag = option.metavar.empty();
    text += help_line(is_flag ? option.name : str(option.name, " ", option.metavar), option.help);
  }
  text += help_line("--help", "print this help");
  for (const std::string& example : examples_)
    text += str(&example == &examples_.front() ? "\nfor example:\n" : "", "  meshwright ", command_,
                " ", example, "\n");
  return text;
}

}  // namespace meshwright::cli
