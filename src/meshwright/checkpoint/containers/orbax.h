// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// A checkpoint of Orbax: the folder of an item, a checkpoint of one or several items, or the
/// folder of a CheckpointManager.
const Container& orbax_container();

}  // namespace meshwright::checkpoint
