// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// seqax's: 0000000012/ is a zarr 2 group with one array for each leaf, whose name is that of its
/// path without anything between the names, and the attribute write_completed, written last. Where
/// we wrote it, the manifest is beside it and knows the paths.
const Format& seqax_format();

}  // namespace meshwright::checkpoint
