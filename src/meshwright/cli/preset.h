// SPDX-License-Identifier: Apache-2.0
// Orders of work of the reference systems, by name; what a config says itself wins.
#pragma once

namespace meshwright::cli {

struct RunConfig;

/// The config with everything that is "auto" about the order of work replaced: by the preset, or
/// without one by the trainer's own defaults.
RunConfig with_preset(RunConfig config);

}  // namespace meshwright::cli
