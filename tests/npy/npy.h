// SPDX-License-Identifier: Apache-2.0
// Reads and writes NumPy's .npy files, version 1.0, to pass arrays to Python and for tests/golden.
#pragma once

#include <filesystem>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright::test_npy {

/// Writes the array to a new file. NumPy has no bf16, f8 or int4: these are written as unsigned
/// integers of the same width, and the reader must know the dtype. Throws unavailable if the file
/// cannot be written.
void write_npy(const std::filesystem::path& path, const HostTensor& tensor);

/// Reads an f32, s32 or u32 array in row-major order. Throws data_loss for any other file.
HostTensor read_npy(const std::filesystem::path& path);

}  // namespace meshwright::test_npy
