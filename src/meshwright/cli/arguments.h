// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::cli {

/// The arguments of a command line after the subcommand's name.
using Args = std::vector<std::string>;

/// What one subcommand accepts, and its help text. Usage:
///   ArgumentParser parser("train", "train a model");
///   parser.option("--plugin", plugin, "PATH", "PJRT plugin to load");
///   if (!parser.parse(args)) return 0;  // --help was asked for, and is printed
/// Options are written `--name value` or `--name=value`; `--` ends them.
class ArgumentParser {
 public:
  ArgumentParser(std::string command, std::string summary);

  void flag(const std::string& name, bool& value, const std::string& help);
  /// T: a string, a whole number, a number, an optional of one of these, or Args for an option
  /// that may be given several times.
  template <typename T>
  void option(const std::string& name,
              T& value,
              const std::string& metavar,
              const std::string& help) {
    options_.push_back(
        {name, metavar, help, [&value, name](const std::string& text) { set(value, name, text); }});
  }
  /// Arguments that are no options, in their order. Without this call they are errors.
  void positionals(Args& values, const std::string& metavar, const std::string& help);
  /// Arguments after the command's name, for the end of the help text.
  void example(const std::string& args);

  /// Fills the variables. False if --help was asked for; the help is then on stdout. Throws
  /// invalid_argument for what it does not know (with the nearest name) and for malformed values.
  bool parse(const Args& args) const;

  std::string help() const;

 private:
  struct Option {
    std::string name;
    std::string metavar;  // empty: a flag
    std::string help;
    std::function<void(const std::string&)> set;
  };

  static void set(std::string& value, const std::string& name, const std::string& text);
  static void set(std::int64_t& value, const std::string& name, const std::string& text);
  static void set(double& value, const std::string& name, const std::string& text);
  static void set(Args& value, const std::string& name, const std::string& text);
  template <typename T>
  static void set(std::optional<T>& value, const std::string& name, const std::string& text) {
    set(value.emplace(), name, text);
  }

  const Option& find(const std::string& name) const;
  std::size_t parse_option(const Args& args, std::size_t at) const;

  std::string command_;
  std::string summary_;
  std::vector<Option> options_;
  std::vector<std::string> examples_;
  Args* positionals_ = nullptr;
  std::string positionals_metavar_;
  std::string positionals_help_;
};

}  // namespace meshwright::cli
