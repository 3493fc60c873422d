// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright {

/// What a message may advise that users of the program and of the library do in different ways.
enum class Advice {
  begin_anew,     // though there are checkpoints
  go_back,        // to a checkpoint, moving newer ones away
  choose_plugin,  // of PJRT
  max_tokens,     // to generate
};

/// How it is done, as a noun: "Job::fresh" for programs that use the library; what set_wording()
/// said, "--fresh", in the program.
std::string wording(Advice advice);

/// For all messages of the process from now on; empty: as in the library.
void set_wording(Advice advice, std::string words);

}  // namespace meshwright
