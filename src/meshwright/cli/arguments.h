// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/cli/argument_table.h"

namespace meshwright::cli {

/// Reads the arguments of one subcommand into variables. Usage:
///   ArgumentParser parser("train");
///   parser.description("Trains a model.");
///   parser.option("--plugin", plugin, {"PATH", Offer::files}, "PJRT plugin to load");
///   if (!parser.parse(args)) return 0;  // --help was given; the help is printed
/// Options are written `--name value` or `--name=value`; `--` ends them.
class ArgumentParser {
 public:
  /// `command` is the text typed after `meshwright`, such as "ckpt show".
  explicit ArgumentParser(std::string command);

  void description(const std::string& text);
  void flag(const std::string& name, bool& value, const std::string& help);
  /// T may be a string, an integer, a floating-point number, an optional of one of these, or Args
  /// for an option that may be given several times. If the placeholder has choices, the value must
  /// be one of them.
  template <typename T>
  void option(const std::string& name, T& value, Placeholder placeholder, const std::string& help) {
    table_.options.push_back({name, std::move(placeholder), help});
    setters_.push_back([&value, name](const std::string& text) { set(value, name, text); });
  }
  /// Collects the arguments that are not options, in order. Without this call, they are errors.
  void positionals(Args& values, Placeholder placeholder, const std::string& help);
  /// Adds arguments as an example to the help text.
  void example(const std::string& args);

  /// Fills the variables. Returns false after printing the help text if --help was given. Throws
  /// invalid_argument for unknown options, suggesting the nearest name, and for malformed values.
  bool parse(const Args& args) const;

  const ArgumentTable& table() const { return table_; }

 private:
  using Setter = std::function<void(const std::string&)>;

  static void set(std::string& value, const std::string& name, const std::string& text);
  static void set(std::int64_t& value, const std::string& name, const std::string& text);
  static void set(double& value, const std::string& name, const std::string& text);
  static void set(Args& value, const std::string& name, const std::string& text);
  template <typename T>
  static void set(std::optional<T>& value, const std::string& name, const std::string& text) {
    set(value.emplace(), name, text);
  }

  std::size_t find(const std::string& name) const;
  std::size_t parse_option(const Args& args, std::size_t at) const;

  ArgumentTable table_;
  std::vector<Setter> setters_;  // of table_.options
  Args* positionals_ = nullptr;
};

}  // namespace meshwright::cli
