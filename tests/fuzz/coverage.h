// SPDX-License-Identifier: Apache-2.0
// Which places of the code ran: the compiler calls us at each of them
// (-fsanitize-coverage=trace-pc).
#pragma once

namespace meshwright::fuzz {

/// Whether a place ran since the last call that had not run in this process before. False for ever
/// in code compiled without the flag.
bool take_new_coverage();

}  // namespace meshwright::fuzz
