// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright {

/// Advice in messages that differs between users of the program and of the library.
enum class Advice {
  begin_anew,     // ignoring existing checkpoints
  go_back,        // to an earlier checkpoint, moving newer ones away
  choose_plugin,  // PJRT plugin
  max_tokens,     // number of tokens to generate
};

/// Returns the remedy as a noun, for example "Job::fresh" in programs that use the library, or what
/// set_wording() chose, such as "--fresh".
std::string wording(Advice advice);

/// Sets the wording of all later messages of the process. Empty `words` restore the library's
/// wording.
void set_wording(Advice advice, std::string words);

}  // namespace meshwright
