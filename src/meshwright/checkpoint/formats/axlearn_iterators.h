// SPDX-License-Identifier: Apache-2.0
// Files of iterator states in AXLearn's checkpoints. States of tf.data iterators are in
// tf_PROCESS/PATH.index and .data-*, and states of Python iterators are in python_PROCESS/PATH,
// where PATH is the entry in the index.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Returns the iterators that the index of a checkpoint lists, by path and class, with their files.
/// Iterators without files are included.
std::vector<IteratorState> find_axlearn_iterators(const Files& files,
                                                  const std::string& folder,
                                                  const std::map<std::string, std::string>& listed);

/// True if a checkpoint has any iterator files.
bool has_axlearn_iterators(const io::FileSystem& files, const std::string& folder);

/// Returns the iterator files that are missing.
std::vector<Damage> damage_of(const std::vector<IteratorState>& iterators,
                              const std::string& folder);

}  // namespace meshwright::checkpoint
