// SPDX-License-Identifier: Apache-2.0
// Internal to split/.
#pragma once

#include <string>
#include <string_view>

namespace meshwright::tokenizers {

/// Returns the PCRE2 pattern that matches as Oniguruma matches `pattern`, with character classes of
/// this Unicode version. Throws unimplemented, naming the syntax, if the two may differ.
std::string to_pcre2(std::string_view pattern);

}  // namespace meshwright::tokenizers
