// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <memory>

#include <unistd.h>

#include "meshwright/base/str.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// Locks a cache, to build or to remove it. Returns null while another process has the lock.
inline std::unique_ptr<io::FileLock> lock_cache(io::FileSystem& folder) {
  return folder.lock("lock", str("process ", ::getpid()));
}

}  // namespace meshwright::data
