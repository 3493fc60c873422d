// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// A checkpoint of TensorFlow: the folder, the .index file, or the prefix that its files share.
const Container& tensorflow_container();

}  // namespace meshwright::checkpoint
