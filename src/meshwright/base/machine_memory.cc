// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/machine_memory.h"

#include <unistd.h>

namespace meshwright {

std::int64_t machine_memory_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace meshwright
