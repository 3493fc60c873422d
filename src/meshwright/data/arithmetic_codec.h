// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/data/text_codec.h"

namespace meshwright::data {

/// Prompts are additions, "123+456="; answers become the number.
TextCodec arithmetic_codec(int num_digits);

}  // namespace meshwright::data
