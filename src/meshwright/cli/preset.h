// SPDX-License-Identifier: Apache-2.0
// Presets: evaluate, save and log in the order of another training system, unless the config says
// otherwise.
#pragma once

namespace meshwright::cli {

struct RunConfig;

/// Returns the config with every "auto" that a preset can set replaced with the preset's value, or
/// with the trainer's default if there is no preset.
RunConfig with_preset(RunConfig config);

}  // namespace meshwright::cli
