// SPDX-License-Identifier: Apache-2.0
// A checkpoint as a folder: one file of raw elements for each part of each array, and a manifest in
// text with the names, types, places, sizes and CRC-32C of them all, and one of its own at its end.
#pragma once

#include <filesystem>

#include "meshwright/checkpoint/contents.h"

namespace meshwright::checkpoint {

/// Writes all files into an existing, empty folder and syncs it; the manifest comes last. Throws
/// unavailable.
void write_native(const std::filesystem::path& folder, const Contents& contents);

/// Throws data_loss, naming the file and what is wrong with it, unless every byte is as written;
/// unavailable if reading fails.
Contents read_native(const std::filesystem::path& folder);

}  // namespace meshwright::checkpoint
