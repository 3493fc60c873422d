// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/data/core/text_codec.h"

namespace meshwright::data {

/// Encodes prompts such as "123+456=" and decodes answers as numbers.
TextCodec arithmetic_codec(int num_digits);

}  // namespace meshwright::data
