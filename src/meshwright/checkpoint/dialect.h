// SPDX-License-Identifier: Apache-2.0
// Checkpoints whose arrays have the names and layouts of another system, seen as ours.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/pending_step.h"
#include "meshwright/checkpoint/stored.h"
#include "meshwright/tensor/array_form.h"

namespace meshwright::checkpoint {

/// How another system has our arrays. What is not mentioned is stored as it is, as an array of our
/// own (ArrayPlan::is_own); empty: all is stored as it is.
struct Dialect {
  ArrayForms arrays;
  /// By our path, what that system does not store and we know all the same.
  std::map<std::string, std::function<HostTensor(std::int64_t step)>> implied = {};
};

/// That of the system of a format, for a state with arrays at these paths.
using FindDialect =
    std::function<Dialect(std::string_view format, const std::vector<std::string>& paths)>;

/// What is stored in the dialect appears under our names, and what it implies is added where it is
/// missing; all else, and a checkpoint that is not in the dialect, stays as it is. Nothing is read
/// yet. Throws invalid_argument for an array of theirs that cannot have been made of one of ours.
Stored to_ours(const Stored& stored, const Dialect& dialect);

/// The step as it is to be written. Parts are brought into their layout when they are taken. Throws
/// invalid_argument if two arrays would be one.
PendingStep to_theirs(PendingStep step, const Dialect& dialect);

}  // namespace meshwright::checkpoint
