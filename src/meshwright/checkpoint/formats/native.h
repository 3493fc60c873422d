// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Meshwright's own format: step_00000012/ with a zarr folder for each array (model.decoder.w_q),
/// the files by which Orbax recognises a checkpoint, and a manifest. Written as
/// unfinished-step_00000012 and renamed when complete, so a folder named like a checkpoint is or
/// was complete.
const Format& native_format();

/// True for the folder of such a checkpoint that has lost its manifest.
bool is_native_remnant(const io::FileSystem& files, const std::string& folder);

}  // namespace meshwright::checkpoint
