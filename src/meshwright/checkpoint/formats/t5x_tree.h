// SPDX-License-Identifier: Apache-2.0
// The file `checkpoint` of T5X: the tree of a training state. Its leaves are arrays, or describe
// where an array is stored.
#pragma once

#include <string>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

inline constexpr const char* kT5xTreeFile = "checkpoint";

/// True if the file begins as T5X's.
bool is_t5x_tree(const io::FileSystem& files, const std::string& path);

/// Opens the tree. Throws data_loss, naming the file and the array, if it is damaged,
/// and unimplemented for version 1. Version 2 stores the bits of bf16 as u16, which is warned of.
StoredTree open_t5x_tree(const Files& files, const std::string& folder);

/// Returns the bytes of the file. The step lies in it, all other arrays in folders.
std::string t5x_tree_bytes(const CheckpointPlan& plan);

/// Returns the folder of the array with this path.
std::string t5x_folder(const std::string& path, const Structure& structure = {});

/// Returns the chunk that T5X chooses for a part in memory: as large as possible, at most 64 MiB,
/// and dividing the part.
Dims t5x_chunk(const Dims& part, DType dtype);

}  // namespace meshwright::checkpoint
