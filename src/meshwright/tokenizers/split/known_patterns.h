// SPDX-License-Identifier: Apache-2.0
// Internal to split/.
#pragma once

#include <string_view>

#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// Regular expressions that are read alike by both libraries, or differently.
enum class Grammar { rust, oniguruma };

/// The treatment of text between matches.
enum class Gaps {
  none,   // the pattern matches all text
  words,  // gaps are words too
  dropped,
};

struct KnownPattern {
  std::string_view pattern;  // with newlines escaped
  SplitterPtr (*scanner)();
  Gaps gaps = Gaps::none;
  bool only_rust = false;      // Oniguruma reads the pattern differently
  std::string_view name = {};  // for users, of the spelling that new files have
};

/// Returns the entry of a pattern; nullptr if it is not known.
const KnownPattern* find_known_pattern(std::string_view pattern, Grammar grammar);

}  // namespace meshwright::tokenizers
