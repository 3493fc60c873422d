// SPDX-License-Identifier: Apache-2.0
// Copies to host memory.
#pragma once

#include <cstddef>
#include <vector>

#include "meshwright/pjrt/event.h"

namespace meshwright::runtime {

inline constexpr const char* kCopyingToHost = "copying an array to the host";

struct MemoryCopy {
  const std::byte* from;
  std::byte* to;
  std::size_t num_bytes;
};

/// Copies in chunks, so that a single large array keeps all threads busy.
void copy_all(const std::vector<MemoryCopy>& copies, int max_threads);

/// Waits for all copies even if one fails, since they write to memory that is released after an
/// error. Throws the first error, if any, as a device error.
void await_all(const std::vector<pjrt::Event>& copies);

}  // namespace meshwright::runtime
