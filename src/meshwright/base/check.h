// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/error.h"

/// Throws ErrorCode::invalid_argument with the remaining arguments as the message unless
/// `condition` holds. Use it for contract violations by the caller, and assert for internal
/// invariants.
#define MW_CHECK(condition, ...)      \
  ((condition) ? static_cast<void>(0) \
               : ::meshwright::fail(::meshwright::ErrorCode::invalid_argument, __VA_ARGS__))
