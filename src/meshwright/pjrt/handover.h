// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/: annotations for ThreadSanitizer.
//
// A plugin passes Meshwright's objects between threads under its own locks. It is built without
// ThreadSanitizer, which therefore sees Meshwright's code on both sides but not the synchronisation
// in between. Code that hands an object to the plugin, or that the plugin calls, declares that with
// these functions. They state what the plugin guarantees and suppress nothing. In other builds
// these functions are empty.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace meshwright::pjrt {

/// Work of this thread before hand_over() happens before work that follows take_over() of the same
/// address.
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

/// Stands for the elements of all arrays. The plugin orders accesses to them by kernels and the
/// host, and reuses their memory.
inline constexpr char kArrayElements = 0;

}  // namespace meshwright::pjrt
