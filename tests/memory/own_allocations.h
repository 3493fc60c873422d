// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meshwright {

/// How often code of this program, on any thread, has called operator new so far. What libraries
/// allocate, the plugin above all, does not count. Negative under a sanitizer, whose own operator
/// new stays.
long num_own_allocations();

}  // namespace meshwright
