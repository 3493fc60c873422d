// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// The format of AXLearn's Checkpointer: step_00000012/gda/model/decoder/w, and a file `index` that
/// lists all arrays and is written last. Checkpoints written by Meshwright also have a manifest.
const Format& axlearn_format();

}  // namespace meshwright::checkpoint
