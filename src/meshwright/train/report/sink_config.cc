// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/sink_config.h"

#include <cstddef>
#include <set>

namespace meshwright::train {

bool are_distinct(const SinkConfigs& sinks) {
  std::set<std::size_t> types;
  for (const SinkConfig& sink : sinks)
    types.insert(sink.index());
  return types.size() == sinks.size();
}

}  // namespace meshwright::train
