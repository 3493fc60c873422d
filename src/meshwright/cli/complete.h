// SPDX-License-Identifier: Apache-2.0
// Shell completion. At each completion the scripts of completion_script.h run `meshwright
// __complete WORD...`, where the words are those after the program's name. The last one, up to the
// cursor, is completed.
#pragma once

#include <string>
#include <vector>

#include "meshwright/cli/command.h"

namespace meshwright::cli {

inline constexpr char kCompleteCommand[] = "__complete";

struct Completion {
  struct Candidate {
    std::string text;  // replaces the whole word
    std::string help;
  };
  /// Paths are left to the shell, which knows its own quoting.
  enum class Paths { none, folders, toml_files, files };

  std::vector<Candidate> candidates;
  Paths paths = Paths::none;
};

/// Returns completions of the last of `words`. Reads configs that the words before it name; a
/// config that cannot be read is ignored.
Completion complete(const CommandGroup& program, const Args& words);

/// Prints one candidate a line, with its help after a tab; at the end ":folders", ":toml_files" or
/// ":files" if the shell should add paths. Prints nothing if there is an error. Returns 0.
int print_completion(const CommandGroup& program, const Args& words);

}  // namespace meshwright::cli
