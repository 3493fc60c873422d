// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/verbosity.h"

#include <atomic>

namespace meshwright {
namespace {

std::atomic<int> level_now = 0;

}  // namespace

int verbosity() {
  return level_now.load(std::memory_order_relaxed);
}

ScopedVerbosity::ScopedVerbosity(int level) : previous_(level_now.exchange(level)) {}

ScopedVerbosity::~ScopedVerbosity() {
  level_now = previous_;
}

}  // namespace meshwright
