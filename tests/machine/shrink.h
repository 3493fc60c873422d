// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "operation.h"

namespace meshwright::machine {

/// A short sequence that still fails: operations are left out and numbers made small as long as
/// `fails` says so.
Sequence shrunk(Sequence failing, const std::function<bool(const Sequence&)>& fails);

}  // namespace meshwright::machine
