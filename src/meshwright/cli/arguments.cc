// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <iostream>

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

void check_choice(const Option& option, const std::string& text) {
  const std::vector<std::string>& choices = option.value->choices;
  MW_CHECK(choices.empty() || std::ranges::find(choices, text) != choices.end(), option.name, ": '",
           text, "' is not one of ", join(choices, ", "));
}

}  // namespace

ArgumentParser::ArgumentParser(std::string command) : table_{.command = std::move(command)} {}

void ArgumentParser::description(const std::string& text) {
  table_.description = text;
}

void ArgumentParser::flag(const std::string& name, bool& value, const std::string& help) {
  table_.options.push_back({name, std::nullopt, help});
  setters_.push_back([&value](const std::string&) { value = true; });
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

void ArgumentParser::positionals(Args& values, Placeholder placeholder, const std::string& help) {
  positionals_ = &values;
  table_.positionals = {std::move(placeholder), help};
}

void ArgumentParser::example(const std::string& args) {
  table_.examples.push_back(args);
}

bool ArgumentParser::parse(const Args& args) const {
  const auto end_of_options = std::find(args.begin(), args.end(), "--");
  for (auto arg = args.begin(); arg != end_of_options; ++arg) {
    if (*arg != help_option().name && *arg != "-h") continue;
    std::cout << help_text(table_);
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
      MW_CHECK(positionals_ != nullptr, table_.command, ": unexpected argument '", arg,
               "'\nsee: meshwright ", table_.command, " --help");
      positionals_->push_back(arg);
      ++at;
    }
  }
  return true;
}

/// Returns the position after the option at `at`.
std::size_t ArgumentParser::parse_option(const Args& args, std::size_t at) const {
  const std::string& arg = args[at];
  const std::size_t equals = arg.find('=');
  const std::size_t found = find(arg.substr(0, equals));
  const Option& option = table_.options[found];
  if (!option.value) {
    MW_CHECK(equals == std::string::npos, table_.command, ": ", option.name, " takes no value");
    setters_[found]("");
    return at + 1;
  }
  const bool is_separate = equals == std::string::npos;
  MW_CHECK(!is_separate || at + 1 < args.size(), table_.command, ": ", option.name,
           " needs a value: ", option.name, " ", option.value->name);
  const std::string& value = is_separate ? args[at + 1] : arg.substr(equals + 1);
  check_choice(option, value);
  setters_[found](value);
  return at + (is_separate ? 2 : 1);
}

std::size_t ArgumentParser::find(const std::string& name) const {
  std::vector<std::string> names = {help_option().name};
  for (std::size_t i = 0; i < table_.options.size(); ++i) {
    if (table_.options[i].name == name) return i;
    names.push_back(table_.options[i].name);
  }
  const auto nearest = find_nearest(name, names);
  fail(ErrorCode::invalid_argument, table_.command, ": unknown option '", name, "'\n",
       nearest ? str("did you mean ", *nearest, "?")
               : str("see: meshwright ", table_.command, " --help"));
}

}  // namespace meshwright::cli
