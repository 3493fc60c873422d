// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "operation.h"

namespace meshwright::machine {

/// Returns a short sequence that still fails: omits operations and reduces numbers as long as
/// `fails` returns true.
Sequence shrunk(Sequence failing, const std::function<bool(const Sequence&)>& fails);

}  // namespace meshwright::machine
