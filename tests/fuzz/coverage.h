// SPDX-License-Identifier: Apache-2.0
// Tracks which places of the code have run: the compiler inserts calls
// (-fsanitize-coverage=trace-pc).
#pragma once

namespace meshwright::fuzz {

/// True if, since the last call, a place ran for the first time in this process. Always false in
/// code compiled without the flag.
bool take_new_coverage();

}  // namespace meshwright::fuzz
