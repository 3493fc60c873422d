// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// T5X's format of version 3, which also reads version 2: checkpoint_12/ with a zarr folder for
/// each array (target.decoder.wi.kernel) and the tree in the file `checkpoint`.
const Format& t5x_format();

}  // namespace meshwright::checkpoint
