// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meshwright {

/// Returns how often code of this program, on any thread, has called operator new. Allocations by
/// libraries, including the plugin, do not count. Negative under a sanitizer, which keeps its own
/// operator new.
long num_own_allocations();

}  // namespace meshwright
