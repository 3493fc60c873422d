// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// A .safetensors file, or a folder with one, or with several and their index.
const Container& safetensors_container();

/// The key in a file's metadata under which Meshwright stores the step.
inline constexpr const char* kSafetensorsStep = "step";

}  // namespace meshwright::checkpoint
