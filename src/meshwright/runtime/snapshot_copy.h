// SPDX-License-Identifier: Apache-2.0
// Copying to memory of the host.
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

/// In chunks, so that one large array keeps all threads busy.
void copy_all(const std::vector<MemoryCopy>& copies, int max_threads);

/// All of them, whatever becomes of one: they write into memory that is given back after an error.
/// Throws device, the first error.
void await_all(const std::vector<pjrt::Event>& copies);

}  // namespace meshwright::runtime
