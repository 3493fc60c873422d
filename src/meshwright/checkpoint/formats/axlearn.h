// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// AXLearn's Checkpointer: step_00000012/gda/model/decoder/w with a file `index` that lists all
/// arrays and is written last. Where we wrote it, the manifest is beside it.
const Format& axlearn_format();

}  // namespace meshwright::checkpoint
