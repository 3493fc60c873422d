// SPDX-License-Identifier: Apache-2.0
// Shell completion. For each completion, the scripts of completion_script.h run `meshwright
// __complete WORD...` with the words after the program's name. The last word, cut off at the
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
  /// Paths that the shell should complete, since it knows its own quoting.
  enum class Paths { none, folders, toml_files, files };

  std::vector<Candidate> candidates;
  Paths paths = Paths::none;
};

/// Returns completions of the last of `words`. Reads the configs that earlier words name; a config
/// that cannot be read is ignored.
Completion complete(const CommandGroup& program, const Args& words);

/// Prints one candidate per line, followed by a tab and its help, and at the end ":folders",
/// ":toml_files" or ":files" if the shell should add paths. Prints nothing if there is an error.
/// Returns 0.
int print_completion(const CommandGroup& program, const Args& words);

}  // namespace meshwright::cli
