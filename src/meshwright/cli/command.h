// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "meshwright/cli/arguments.h"

namespace meshwright::cli {

/// The arguments of a subcommand and the function that runs it.
class CommandBody {
 public:
  CommandBody(ArgumentParser parser, std::function<int()> run)
      : parser_(std::move(parser)), run_(std::move(run)) {}

  const ArgumentTable& arguments() const { return parser_.table(); }
  /// Reads the arguments, runs the command and returns its exit code. If the arguments contain
  /// --help, only prints the help text.
  int operator()(const Args& args) const { return parser_.parse(args) ? run_() : 0; }

 private:
  ArgumentParser parser_;
  std::function<int()> run_;
};

/// Makes a command. `Arguments` is a struct with `void declare(ArgumentParser& parser)`, which
/// binds its members; `run` takes it by reference and returns an exit code. `name` is the text
/// typed after `meshwright`.
template <typename Arguments, typename Run>
CommandBody make_command(const std::string& name, Run run) {
  auto arguments = std::make_shared<Arguments>();
  ArgumentParser parser(name);
  arguments->declare(parser);
  return {std::move(parser), [arguments, run] { return run(*arguments); }};
}

struct CommandGroup;

/// A row of a table of subcommands: a command or a group of them.
struct Command {
  std::string_view name;
  std::string_view summary;
  CommandBody (*body)(const std::string& name) = nullptr;
  const CommandGroup& (*group)() = nullptr;
};

struct CommandGroup {
  std::string_view description;
  std::span<const Command> commands;
};

/// Joins two names: returns "ckpt show" for "ckpt" and "show".
std::string full_name(const std::string& group, std::string_view command);

/// Returns the command with this name. Throws invalid_argument, suggesting the nearest name, if
/// there is none.
const Command& find_command(const std::string& group_name,
                            const CommandGroup& group,
                            const std::string& name);

/// Returns the text of `meshwright --help`, or of `meshwright GROUP --help` if a group is named.
std::string help_text(const std::string& name, const CommandGroup& group);

/// Runs the command that the first argument names; prints the help text if that argument is --help,
/// help or missing. `help COMMAND` is equivalent to `COMMAND --help`.
int run_group(const std::string& name, const CommandGroup& group, const Args& args);

}  // namespace meshwright::cli
