// SPDX-License-Identifier: Apache-2.0
// Not for other folders.
//
// A plugin passes what we give it from thread to thread under locks of its own. It is built without
// ThreadSanitizer, which therefore sees our code on both sides and nothing in between. Wherever our
// code hands something to the plugin or is entered by it, it says so here: this states what the
// plugin promises, and suppresses nothing. In other builds these functions are empty.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace meshwright::pjrt {

/// What this thread did before comes before what follows take_over() of the same address.
inline void hand_over([[maybe_unused]] const void* address) noexcept {
#ifdef __SANITIZE_THREAD__
  __tsan_release(const_cast<void*>(address));
#endif
}
inline void take_over([[maybe_unused]] const void* address) noexcept {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(const_cast<void*>(address));
#endif
}

/// The address that stands for the elements of all arrays: the order in which kernels and the host
/// may touch them is the plugin's, which reuses their memory as well.
inline constexpr char kArrayElements = 0;

}  // namespace meshwright::pjrt
