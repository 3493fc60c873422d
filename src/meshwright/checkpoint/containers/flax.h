// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// A tree that flax stored in one file, NAME.msgpack or checkpoint_12.
const Container& flax_container();

}  // namespace meshwright::checkpoint
