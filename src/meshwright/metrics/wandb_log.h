// SPDX-License-Identifier: Apache-2.0
// The container of W&B's run-ID.wandb files: records in blocks of 32 KiB, as in the log of LevelDB
// but for the checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright::metrics {

/// What a file begins with.
std::string wandb_log_header();

/// A record for the end of a file of so many bytes: pieces with checksum, length and kind, none of
/// which crosses the border of a block.
std::string wandb_log_record(std::string_view record, std::int64_t file_bytes);

}  // namespace meshwright::metrics
