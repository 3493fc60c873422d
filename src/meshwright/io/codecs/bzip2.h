// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {

/// Also reads concatenated streams. Levels are 1 to 9.
CodecPtr bzip2_codec(int level = 1);

}  // namespace meshwright::io
