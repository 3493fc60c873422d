// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/sink_config.h"

#include <cstddef>
#include <set>

namespace meshwright::train {
namespace {

template <typename... Sinks>
std::vector<std::string> files_of(const std::variant<Sinks...>* /*types*/) {
  std::vector<std::string> out;
  (out.insert(out.end(), Sinks::kFiles.begin(), Sinks::kFiles.end()), ...);
  return out;
}

}  // namespace

std::vector<std::string> files_of_sinks() {
  return files_of(static_cast<const SinkConfig*>(nullptr));
}

bool are_distinct(const SinkConfigs& sinks) {
  std::set<std::size_t> types;
  for (const SinkConfig& sink : sinks)
    types.insert(sink.index());
  return types.size() == sinks.size();
}

}  // namespace meshwright::train
