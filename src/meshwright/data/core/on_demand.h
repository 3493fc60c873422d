// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "meshwright/data/core/combinators.h"

namespace meshwright::data {

/// Returns a source whose name and spec are known before it is opened. `open` is called once, by
/// the first call of any other function; its exception reaches every caller. The opened source must
/// have the given spec.
SourcePtr on_demand(std::string name, BatchSpec spec, std::function<SourcePtr()> open);

/// Returns a source that has only a name and a spec, for commands that need no batches. batch()
/// throws `internal`.
SourcePtr spec_only(std::string name, BatchSpec spec);

}  // namespace meshwright::data
