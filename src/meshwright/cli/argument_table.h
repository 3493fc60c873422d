// SPDX-License-Identifier: Apache-2.0
// The arguments of a subcommand as data, from which --help, man pages and shell completion are
// generated.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace meshwright::cli {

/// The arguments of a command line.
using Args = std::vector<std::string>;

/// Candidates that shell completion offers for a value.
enum class Offer {
  nothing,
  choices,  // one of Placeholder::choices
  files,
  folders,
  config,          // one config or run folder, then overrides
  two_configs,     // up to two configs, then overrides
  key_and_config,  // a config key, then one config and overrides
  commands,        // names of subcommands
};

/// A value that the user supplies.
struct Placeholder {
  std::string name;  // in usage lines: "PATH"
  Offer offer = Offer::nothing;
  std::vector<std::string> choices = {};
};

/// Returns a placeholder for one of a few words, which also name it in usage lines: "cpu|cuda|tpu".
Placeholder one_of(const std::vector<std::string>& choices);

struct Option {
  std::string name;                  // "--plugin"
  std::optional<Placeholder> value;  // absent for a flag
  std::string help;
};

struct Positionals {
  Placeholder value;
  std::string help;
};

struct ArgumentTable {
  std::string command;  // "ckpt show"
  std::string description = {};
  std::optional<Positionals> positionals = {};
  std::vector<Option> options = {};  // excluding --help, which every command has
  std::vector<std::string> examples = {};
};

/// Returns the option --help, which every command has.
const Option& help_option();

/// Returns the program's option --version.
const Option& version_option();

/// Returns text such as "meshwright train [OPTION...] [CONFIG]".
std::string usage(const ArgumentTable& table);

/// Returns the text of `--help`.
std::string help_text(const ArgumentTable& table);

}  // namespace meshwright::cli
