// SPDX-License-Identifier: Apache-2.0
// Presets: evaluate, save and log in the order of another training system, unless the config says
// otherwise.
#pragma once

namespace meshwright::cli {

struct RunConfig;

/// Returns the config with every "auto" about the order of work replaced by the preset, or by the
/// trainer's defaults if there is none.
RunConfig with_preset(RunConfig config);

}  // namespace meshwright::cli
