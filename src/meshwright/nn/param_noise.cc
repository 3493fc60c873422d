// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/param_noise.h"

#include <algorithm>
#include <string>
#include <utility>

#include "meshwright/base/regex.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright::nn {
namespace {

using graph::random::Key;

Key key_of_path(Key key, const std::string& path) {
  for (std::string_view name : split_tree_path(path))
    key = fold_in(key, name, graph::random::NameHash::md5_mod_int31);
  return key;
}

}  // namespace

ValueTree with_noise(const ValueTree& params, const Key& key, const std::vector<NoiseRule>& rules) {
  std::vector<std::pair<Regex, double>> stddevs;
  for (const NoiseRule& rule : rules)
    stddevs.emplace_back(Regex(rule.pattern), rule.stddev);
  return map(params, [&](const std::string& path, const Value& value) {
    auto found =
        std::ranges::find_if(stddevs, [&](const auto& s) { return s.first.matches(path); });
    const double stddev = found == stddevs.end() ? 0 : found->second;
    if (stddev == 0 || !is_float(value.dtype())) return value;
    Value noise = graph::random::normal(key_of_path(key, path), value.dims(), value.dtype());
    return value + noise * stddev;
  });
}

}  // namespace meshwright::nn
