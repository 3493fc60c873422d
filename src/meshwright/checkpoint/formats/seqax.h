// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// The format of seqax: 0000000012/ is a zarr 2 group with one array for each leaf, named after the
/// leaf's path without separators, and the attribute write_completed, which is written last.
/// Checkpoints written by Meshwright also have a manifest with the paths.
const Format& seqax_format();

}  // namespace meshwright::checkpoint
