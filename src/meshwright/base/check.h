// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/error.h"

/// Throws invalid_argument unless `condition` holds. The message is the concatenation of the
/// remaining arguments. Use it for contract violations by the caller, and assert for internal
/// invariants.
#define MW_CHECK(condition, ...)      \
  ((condition) ? static_cast<void>(0) \
               : ::meshwright::fail(::meshwright::ErrorCode::invalid_argument, __VA_ARGS__))
