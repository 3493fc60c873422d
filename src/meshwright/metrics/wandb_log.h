// SPDX-License-Identifier: Apache-2.0
// The container format of W&B's run-ID.wandb files: records in blocks of 32 KiB, like a LevelDB log
// except for the checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright::metrics {

/// Returns the header of a file.
std::string wandb_log_header();

/// Encodes a record for appending to a file of `file_bytes` bytes: pieces, each with a checksum, a
/// length and a kind, none of which crosses a block boundary.
std::string wandb_log_record(std::string_view record, std::int64_t file_bytes);

}  // namespace meshwright::metrics
