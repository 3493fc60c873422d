// SPDX-License-Identifier: Apache-2.0
// Maps between our names and layouts of arrays and those of another system.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/save/pending_step.h"
#include "meshwright/tensor/array_form.h"

namespace meshwright::checkpoint {

/// How another system names and lays out our arrays. Arrays without an entry are stored unchanged,
/// as our own (ArrayPlan::is_own). Empty: all of them.
struct Dialect {
  ArrayForms arrays;
  /// Values that the other system does not store but that follow from its conventions, by our path.
  std::map<std::string, std::function<HostTensor(std::int64_t step)>> implied = {};
};

/// Returns the dialect of a format's system for a state with these paths.
using FindDialect =
    std::function<Dialect(std::string_view format, const std::vector<std::string>& paths)>;

/// What is stored in the dialect appears under our names, and what it implies is added where it is
/// missing; all else, and a checkpoint that is not in the dialect, stays as it is. Nothing is read
/// yet. Throws invalid_argument for an array of theirs that cannot have been made of one of ours.
Stored to_ours(const Stored& stored, const Dialect& dialect);

/// Converts a checkpoint about to be written. Parts are converted as they are taken. Throws
/// invalid_argument if two arrays would get the same name.
PendingStep to_theirs(PendingStep step, const Dialect& dialect);

}  // namespace meshwright::checkpoint
